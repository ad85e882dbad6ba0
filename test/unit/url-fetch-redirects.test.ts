import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test, vi } from 'vitest'
import {
  listen,
  page,
  redirect,
  refusedFetch,
  route,
  say,
  tryFetch,
} from '../support/servers/url-fetch-tools.ts'
import { startStopwatch } from '../support/stopwatch.ts'

const CODES = [301, 302, 303, 307, 308]

test.for(CODES)('%i is followed, in any form of location', async (code) => {
  const place = { host: '' }
  const locations = () => [
    '/there',
    'there',
    './x/../there',
    '?x',
    '//HOST/there',
    'http://HOST/there',
    'HTTP:\\\\HOST\\there#x',
    '  /there',
    '/t\there',
    'http:/there',
    '/th%65re',
  ]
  await using server = await listen((socket) => {
    socket.once('data', (bytes) => {
      const path = bytes.toString('latin1').split(' ')[1] ?? ''
      const [, number] = /^\/from\/([0-9]+)$/.exec(path) ?? []
      const location = number === undefined ? undefined : locations()[Number(number)]
      socket.end(location === undefined ? page(path) : redirect(code, location.replace('HOST', place.host)))
    })
  })
  place.host = server.allow
  for (const [number, location] of locations().entries()) {
    const { file } = await tryFetch(server.url(`/from/${number}`), { allow: server.allow })
    assert.ok(file, location)
    assert.equal(file.name, String(number), 'the name is that of the URL given')
  }
  assert.equal(server.connections, locations().length * 2)
})

test('a location in UTF-8 is read as such', async () => {
  await using server = await listen((socket) => {
    socket.once('data', (bytes) => {
      const path = bytes.toString('latin1').split(' ')[1] ?? ''
      socket.end(path === '/' ? redirect(302, '/ü') : page(path))
    })
  })
  const { file } = await tryFetch(server.url('/'), { allow: server.allow })
  assert.equal(file?.sizeBytes, '/%C3%BC'.length)
})

const targets = [
  'http://127.0.0.1/',
  'http://[::1]/',
  '//127.0.0.1/',
  '//[::1]/',
  'https://10.0.0.1/',
  'http://127.1/',
  'http://169.254.169.254/latest/',
  'file:///etc/passwd',
  'ftp://127.0.0.1/',
  'gopher://127.0.0.1:80/_GET',
  'data:image/png;base64,AAAA',
  'javascript:1',
  'blob:http://127.0.0.1/x',
  'ws://127.0.0.1/',
  'about:blank',
  'http://localhost/',
  'http://metadata.google.internal/',
  'http://user@8.8.8.8/',
  'http://8.8.8.8:22/',
  'http://[::ffff:127.0.0.1]/',
  'http://0x7f000001/',
  'http://127.0.0.1:81/',
  'http://',
  'http://a b/',
  `http://8.8.8.8/${'x'.repeat(2048)}`,
  'http://inner.example.org/',
  'https://inner.example.org/',
  '\\\\127.0.0.1\\x',
  'http:\\\\[::1]',
  'HtTp://１２７.0.0.1/',
  'http://127。0。0。1/',
  'http://127%2e0%2e0%2e1',
]

test.for(CODES)('%i to what is not allowed is refused without a connection', async (code) => {
  const connect = vi.spyOn(Socket.prototype, 'connect')
  try {
    for (const target of targets) {
      await using server = await listen(say(redirect(code, target)))
      await refusedFetch(server.url(), { allow: server.allow, resolve: async () => ['127.0.0.1'] })
      assert.equal(server.connections, 1, target)
    }
    assert.equal(connect.mock.calls.length, targets.length)
  } finally {
    connect.mockRestore()
  }
})

test('a redirect from an allowed host to another port of the same host is refused', async () => {
  await using canary = await listen(say(page('secret')))
  await using server = await listen(say(redirect(302, canary.url())))
  await refusedFetch(server.url(), { allow: `${server.allow},127.0.0.1,localhost` })
  assert.equal(canary.connections, 0)
})

test('three redirects are followed, four are not, and a loop ends', async () => {
  await using server = await listen(
    route({
      '/4': redirect(308, '/3'),
      '/3': redirect(301, '/2'),
      '/2': redirect(302, '/1'),
      '/1': redirect(307, '/0'),
      '/0': page('x'),
      '/loop': redirect(303, '/loop'),
      '/ping': redirect(302, '/pong'),
      '/pong': redirect(302, '/ping'),
    }),
  )
  const { allow } = server
  assert.equal((await tryFetch(server.url('/3'), { allow })).file?.name, '3')
  assert.equal(server.connections, 4)
  for (const path of ['/4', '/loop', '/ping']) {
    const before: number = server.connections
    await refusedFetch(server.url(path), { allow })
    assert.equal(server.connections - before, 4, path)
  }
})

test('no other status, header or page leads anywhere else', async () => {
  await using canary = await listen(say(page('secret')))
  const to = canary.url()
  const hints = `Location: ${to}\r\nContent-Location: ${to}\r\nRefresh: 0; url=${to}\r\nLink: <${to}>; rel=preload\r\n`
  const allow = (port: number) => `127.0.0.1:${port},${canary.allow}`
  await using hinting = await listen(say(page(`<meta http-equiv=refresh content="0;url=${to}">`, hints)))
  const { file } = await tryFetch(hinting.url(), { allow: allow(hinting.port) })
  assert.ok(file)
  for (const status of [201, 202, 203, 206, 300, 304, 305, 306, 309, 399]) {
    await using server = await listen(say(`HTTP/1.1 ${status} Hm\r\n${hints}Content-Length: 1\r\n\r\nx`))
    await refusedFetch(server.url(), { allow: allow(server.port) })
    assert.equal(server.connections, 1)
  }
  assert.equal(canary.connections, 0)
})

test('a redirect without a location is refused, and its body is not waited for', async () => {
  await using nowhere = await listen(say('HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n'))
  await refusedFetch(nowhere.url(), { allow: nowhere.allow })
  await using endless = await listen(
    say('HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 999999\r\n\r\nx', { stay: true }),
  )
  using watch = startStopwatch()
  await refusedFetch(endless.url(), { allow: endless.allow, times: { idleMs: 60_000, totalMs: 60_000 } })
  assert.ok(watch.ms() < 5000)
})

test('cookies and credentials asked for are not sent along', async () => {
  const requests: string[] = []
  await using server = await listen((socket) => {
    socket.once('data', (bytes) => {
      requests.push(bytes.toString())
      const head = 'Set-Cookie: a=b\r\nWWW-Authenticate: Basic realm=x\r\n'
      socket.end(requests.length === 1 ? redirect(302, '/b').replace('\r\n', `\r\n${head}`) : page('x'))
    })
  })
  assert.ok((await tryFetch(server.url('/a'), { allow: server.allow })).file)
  assert.equal(requests.length, 2)
  assert.doesNotMatch(requests.join(), /cookie|authorization|referer/i)
})
