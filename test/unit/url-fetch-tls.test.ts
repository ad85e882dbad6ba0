import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls'
import { test } from 'vitest'
import { needing } from '../support/needs.ts'
import { listen, page, redirect, refusedFetch, say, tryFetch } from '../support/servers/url-fetch-tools.ts'

const openssl = await needing('openssl')

interface Pair {
  key: string
  cert: string
}

const resolve = async () => ['127.0.0.1']

openssl.describe('by https', () => {
  const own = openssl.isMet ? makePair('DNS:pictures.example.org,IP:127.0.0.1') : { key: '', cert: '' }
  const usual = getCACertificates()

  test('a certificate without a known authority is refused, before anything is sent', async () => {
    await using server = await startTls(own)
    const wishes = { allow: `pictures.example.org:${server.port},${server.allow}`, resolve }
    const { cause } = await refusedFetch(`https://pictures.example.org:${server.port}/a.png`, wishes)
    assert.equal(cause.code, 'DEPTH_ZERO_SELF_SIGNED_CERT')
    await refusedFetch(`https://127.0.0.1:${server.port}/a.png`, wishes)
    assert.equal(server.connections, 2)
    assert.deepEqual(server.requests, [])
  })

  test('no setting of the process turns the check off', async () => {
    await using server = await startTls(own)
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    try {
      await refusedFetch(`https://127.0.0.1:${server.port}/a.png`, { allow: server.allow })
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    }
    assert.deepEqual(server.requests, [])
  })

  test('a certificate that is trusted is taken for its names alone', async () => {
    await using server = await startTls(own)
    const { port } = server
    const wishes = {
      allow: `pictures.example.org:${port},other.example.org:${port},${server.allow},127.0.0.2:${port}`,
      resolve,
    }
    setDefaultCACertificates([...usual, own.cert])
    try {
      const { file, error } = await tryFetch(`https://Pictures.example.org.:${port}/a.png`, wishes)
      assert.deepEqual([file?.name, file?.sizeBytes], ['a.png', 3], String((error as Error)?.cause))
      const host = `pictures.example.org:${port}`
      assert.deepEqual(server.requests, [{ servername: 'pictures.example.org', host }])
      assert.ok((await tryFetch(`https://127.0.0.1:${port}/a.png`, wishes)).file)
      assert.deepEqual(server.requests[1], { servername: false, host: `127.0.0.1:${port}` })
      const { cause } = await refusedFetch(`https://other.example.org:${port}/a.png`, wishes)
      assert.equal(cause.code, 'ERR_TLS_CERT_ALTNAME_INVALID')
      assert.equal(server.requests.length, 2)
      await using plain = await listen(say(redirect(302, `https://pictures.example.org:${port}/b.png`)))
      const both = { ...wishes, allow: `${wishes.allow},${plain.allow}` }
      assert.ok((await tryFetch(plain.url(), both)).file)
    } finally {
      setDefaultCACertificates(usual)
    }
  })

  test('http spoken to https and https spoken to http are refused', async () => {
    await using tls = await startTls(own)
    await refusedFetch(tls.url(), { allow: tls.allow })
    await using plain = await listen(say(page('abc')))
    await refusedFetch(plain.url().replace('http:', 'https:'), { allow: plain.allow })
  })

  test('a handshake that never ends is given up', async () => {
    await using server = await listen(() => {})
    const { cause } = await refusedFetch(server.url().replace('http:', 'https:'), { allow: server.allow })
    assert.equal(cause.message, 'The connection took too long.')
  })
})

async function startTls(pair: Pair) {
  const requests: { servername: unknown; host: string | undefined }[] = []
  const server = createServer(pair, (request, response) => {
    requests.push({ servername: (request.socket as TLSSocket).servername, host: request.headers.host })
    response.end('abc')
  })
  return Object.assign(await listen(() => {}, { server }), { requests })
}

function makePair(names: string): Pair {
  const folder = mkdtempSync(join(tmpdir(), 'url-fetch-'))
  const key = join(folder, 'key')
  const cert = join(folder, 'cert')
  try {
    const what = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=test']
    const where = ['-keyout', key, '-out', cert, '-addext', `subjectAltName=${names}`]
    execFileSync('openssl', ['req', '-x509', ...what, ...where], { stdio: 'pipe' })
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
