import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { responseOfRefusal } from '../../src/http/responses/errors.ts'
import { fetchToSpool } from '../../src/http/uploads/source/fetch-url.ts'
import { openSpool } from '../../src/http/uploads/source/spool.ts'
import { nameResolver } from '../../src/lib/net/name-resolver.ts'
import { parseUrlAllow } from '../../src/lib/net/url-allow.ts'
import { Refusal } from '../../src/lib/refusal.ts'
import {
  cutNetwork,
  listen,
  page,
  redirect,
  refusedFetch,
  SHORT,
  say,
  tryFetch,
} from '../support/servers/url-fetch-tools.ts'

test('a file comes with its size, its hashes and the last part of the path as its name', async () => {
  const body = 'some bytes, ÄÖÜ'
  await using server = await listen(say(page(body)))
  const parent = await mkdtemp(join(tmpdir(), 'url-fetch-'))
  try {
    await using spool = openSpool(parent)
    const file = await fetchToSpool(server.url('/dir/My%20cat%C3%A9.png?x=/y.gif#/z'), {
      spool,
      maxBytes: Buffer.byteLength(body),
      allow: parseUrlAllow(server.allow),
      resolve: nameResolver(),
    })
    const hash = (name: string) => createHash(name).update(body).digest('hex')
    const { path, ...rest } = file
    const sizeBytes = Buffer.byteLength(body)
    assert.deepEqual(rest, { sizeBytes, md5: hash('md5'), name: 'My caté.png' })
    assert.equal(await readFile(path, 'utf8'), body)
    assert.equal(join(path, '..'), spool.folder)
    // A decoder under an account of its own reads it; the folder is closed to all others.
    assert.equal((await stat(path)).mode & 0o777, 0o644)
  } finally {
    await rm(parent, { recursive: true })
  }
})

const names: [path: string, name: string | undefined][] = [
  ['', undefined],
  ['/', undefined],
  ['/dir/', undefined],
  ['/dir/?a.png', undefined],
  ['/a', 'a'],
  ['/a.png/../b.gif', 'b.gif'],
  ['/a\\b.png', 'b.png'],
  ['/%E0%A4%A', '%E0%A4%A'],
  ['/..%2f..%2fetc%2Fpasswd', 'passwd'],
  ['/a%5Cb', 'b'],
  ['/a%2f', undefined],
  ['/ü.png', 'ü.png'],
]

test.for(names)('the path %j gives the name %j', async ([path, name]) => {
  await using server = await listen(say(page('x')))
  const { file } = await tryFetch(server.url(path), { allow: server.allow })
  assert.equal(file?.name, name)
})

test('the request says who asks and nothing more', async () => {
  let request = ''
  await using server = await listen((socket) => {
    socket.once('data', (bytes) => {
      request = bytes.toString()
      socket.end(page('x'))
    })
  })
  await tryFetch(`http://Files.Intranet.:${server.port}/a%20b?c=d#e`, {
    allow: `files.intranet:${server.port}`,
    resolve: async () => ['127.0.0.1'],
  })
  assert.deepEqual(request.split('\r\n').sort(), [
    '',
    '',
    'Connection: close',
    'GET /a%20b?c=d HTTP/1.1',
    'accept-encoding: identity',
    'accept: */*',
    `host: files.intranet:${server.port}`,
    'user-agent: Terrace',
  ])
})

test('a large file comes whole, and one byte more than allowed is refused', async () => {
  const body = 'x'.repeat(3_000_000)
  await using counted = await listen(say(page(body)))
  await using chunked = await listen(
    say(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2dc6c0\r\n${body}\r\n0\r\n\r\n`),
  )
  await using endless = await listen(say(`HTTP/1.0 200 OK\r\n\r\n${body}`))
  for (const server of [counted, chunked, endless]) {
    const { file } = await tryFetch(server.url(), { allow: server.allow, maxBytes: 3_000_000 })
    assert.equal(file?.sizeBytes, 3_000_000)
    const message = 'File too big - max 3 MB'
    const expected = { kind: 'too-large', code: 'file-too-big', message, list: [message] }
    await refusedFetch(server.url(), { allow: server.allow, maxBytes: 2_999_999 }, expected)
  }
})

test('a disk that cannot be written is not reported as a fault of the URL', async () => {
  await using server = await listen(say(page('x')))
  await using spool = openSpool('/dev/null/nowhere')
  const { error } = await tryFetch(server.url(), { allow: server.allow, spool })
  assert.ok(error instanceof Refusal)
  assert.equal(error.code, 'storage-unavailable')
  assert.equal((error.cause as NodeJS.ErrnoException).code, 'ENOTDIR')
})

test('the real DNS is asked for a name on the list, and each of its addresses is tried', async () => {
  await using server = await listen(say(page('x')))
  const { file } = await tryFetch(`http://localhost:${server.port}/a.png`, {
    allow: `localhost:${server.port}`,
  })
  assert.equal(file?.sizeBytes, 1)
  const addresses = ['::1', '127.0.0.1']
  const wishes = { allow: `files.lan:${server.port}`, resolve: async () => addresses }
  assert.equal((await tryFetch(`http://files.lan:${server.port}/`, wishes)).file?.sizeBytes, 1)
})

test('our own sites are not fetched from, even by a redirect or when they are on the list', async () => {
  const asked: string[] = []
  const ownHostnames = async (hostname: string) => {
    asked.push(hostname)
    return hostname === 'cats.example.org'
  }
  await using server = await listen(say(redirect(302, 'https://CATS.example.org./x')))
  using network = cutNetwork()
  const allow = `cats.example.org,${server.allow}`
  for (const url of ['http://cats.example.org/x', 'https://CATS.Example.org./x', 'http://ｃats.example.org'])
    await refusedFetch(url, { allow, ownHostnames, resolve: async () => ['93.184.216.34'] })
  assert.deepEqual(network.dials, [])
  network[Symbol.dispose]()
  await refusedFetch(server.url(), { allow, ownHostnames, resolve: async () => ['93.184.216.34'] })
  assert.equal(server.connections, 1)
  assert.deepEqual(new Set(asked), new Set(['cats.example.org', '127.0.0.1']))
})

test('all refusals are answered with the same bytes', async () => {
  await using server = await listen(say(page('abc').replace('200', '404')))
  await using silent = await listen(() => {})
  const allow = `${server.allow},${silent.allow}`
  const urls = [
    'x',
    'file:///etc/passwd',
    'http://127.0.0.1/',
    'http://localhost/',
    'http://gone.example.org/',
  ]
  const answers = new Set<string>()
  for (const url of [...urls, server.url(), silent.url(), silent.url().replace('http', 'https')]) {
    const { error } = await refusedFetch(url, { allow, resolve: () => Promise.reject(new Error('gone')) })
    answers.add(JSON.stringify(responseOfRefusal(error)))
  }
  assert.equal(answers.size, 1)
  assert.doesNotMatch([...answers].join(), /127|gone|404/)
})

test('trouble with the own hostnames is passed on as it is', async () => {
  const trouble = new Error('no database')
  const ownHostnames = () => Promise.reject(trouble)
  assert.equal((await tryFetch('http://a.example.org', { ownHostnames })).error, trouble)
})

test('the caller may stop it at any time', async () => {
  await using server = await listen((socket) => socket.once('data', () => stop.abort(new Error('gone'))))
  const stop = new AbortController()
  const times = { dnsMs: 60_000, connectMs: 60_000, idleMs: 60_000, totalMs: 60_000 }
  await refusedFetch(server.url(), { allow: server.allow, signal: stop.signal, times })
  const resolve = () => new Promise<never>(() => {})
  const { cause } = await refusedFetch('http://a.example.org', { signal: stop.signal, times, resolve })
  assert.equal(cause.message, 'gone')
  await refusedFetch(server.url(), { allow: server.allow, signal: stop.signal, times })
  assert.equal(server.connections, 1)
})

describe('the DNS', () => {
  const url = 'http://pictures.example.org/a.png'
  const good = '93.184.216.34'
  const good6 = '2606:2800:220:1::1'
  const bad = [
    '127.0.0.1',
    '10.0.0.1',
    '169.254.169.254',
    '0.0.0.0',
    '::1',
    '::',
    '::ffff:10.0.0.1',
    '::ffff:8.8.8.8',
    'fe80::1%eth0',
    'fd00::1',
    '64:ff9b::808:808',
    '2002:7f00:1::',
    '255.255.255.255',
    '',
    'localhost',
    '127.1',
    '0x7f.0.0.1',
    '[::1]',
    '2606:2800:220:1::1%1',
    '93.184.216.34 ',
  ]

  test.for(bad)(
    'one address %j is refused, alone or among good ones, without a connection',
    async (address) => {
      using network = cutNetwork()
      for (const answer of [[address], [good, address], [address, good], [good, good6, good, address]]) {
        let questions = 0
        const resolve = async () => {
          questions += 1
          return answer
        }
        await refusedFetch(url, { resolve })
        assert.equal(questions, 1)
      }
      assert.deepEqual(network.dials, [])
    },
  )

  test('what is no address is refused even for a name on the list', async () => {
    using network = cutNetwork()
    for (const answer of ['localhost', '', '127.1', '[::1]'])
      await refusedFetch('http://files.lan/', { allow: 'files.lan', resolve: async () => [answer] })
    assert.deepEqual(network.dials, [])
  })

  test('a bad address behind many good ones is found', async () => {
    using network = cutNetwork()
    const { dials } = network
    const many = Array.from({ length: 500 }, (_, place) => `93.184.216.${place % 250}`)
    await refusedFetch(url, { resolve: async () => [...many, '10.0.0.1'] })
    assert.equal(dials.length, 0)
    await refusedFetch(url, { resolve: async () => many })
    assert.equal(dials[0]?.addresses.length, 6)
  })

  test.for(['http', 'https'])(
    'is asked once, and the socket gets the checked addresses: %s',
    async (scheme) => {
      using network = cutNetwork()
      const answers = [[good, good6], ['127.0.0.1'], ['127.0.0.1']]
      let questions = 0
      const resolve = async () => answers[questions++] ?? []
      await refusedFetch(`${scheme}://pictures.example.org./a.png`, { resolve })
      assert.equal(questions, 1)
      const port = scheme === 'http' ? 80 : 443
      assert.deepEqual(network.dials, [{ host: 'pictures.example.org', port, addresses: [good, good6] }])
    },
  )

  test('is asked again at a redirect to the same name, and the new answer is checked', async () => {
    await using server = await listen(say(redirect(302, '/again')))
    const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.1']]
    let questions = 0
    const resolve = async () => answers[questions++] ?? []
    const wishes = { allow: server.allow, resolve }
    await refusedFetch(`http://pictures.example.org:${server.port}/`, wishes)
    assert.equal(questions, 2)
    assert.equal(server.connections, 1)
  })

  test('without an answer, with a fault or too late means refused', async () => {
    using network = cutNetwork()
    const fault = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })
    await refusedFetch(url, { resolve: async () => [] })
    const { cause } = await refusedFetch(url, { resolve: () => Promise.reject(fault) })
    assert.equal(cause, fault)
    await refusedFetch(url, { resolve: () => new Promise(() => {}), times: { ...SHORT, totalMs: 60_000 } })
    await refusedFetch(url, { resolve: () => new Promise(() => {}), times: { ...SHORT, dnsMs: 60_000 } })
    assert.deepEqual(network.dials, [])
  })

  test('is not asked for addresses', async () => {
    using network = cutNetwork()
    const resolve = () => assert.fail('asked')
    await refusedFetch('http://93.184.216.34/', { resolve })
    await refusedFetch('https://[2606:2800:220:1::1]/', { resolve })
    assert.deepEqual(
      network.dials.map(({ host, port }) => [host, port]),
      [
        ['93.184.216.34', 80],
        ['2606:2800:220:1::1', 443],
      ],
    )
  })
})

test('a connection that ends up elsewhere is closed before anything is sent', async () => {
  let received = 0
  await using server = await listen((socket) => {
    socket.on('data', (bytes) => {
      received += bytes.length
    })
  })
  // The system takes this address for 127.0.0.1.
  const { cause } = await refusedFetch(`http://0.0.0.0:${server.port}/`, { allow: `0.0.0.0:${server.port}` })
  assert.equal(cause.message, 'The connection went to 127.0.0.1.')
  assert.equal(received, 0)
})

test('a port without a listener, or one that does not answer, means refused', async () => {
  const server = await listen(() => {})
  await server[Symbol.asyncDispose]()
  const { cause } = await refusedFetch(server.url(), { allow: server.allow })
  assert.equal(cause.code, 'ECONNREFUSED')
  using _network = cutNetwork({ isSilent: true })
  const { cause: late } = await refusedFetch('http://93.184.216.34/')
  assert.equal(late.message, 'The connection took too long.')
})
