import assert from 'node:assert/strict'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import sharp from 'sharp'
import type { TestApp } from '../harness.ts'
import { multipartOf, noise, type TestTenant } from '../uploads.ts'
import { askProxy, connectTo, type FrontProxy, type Passed, type Passing } from './proxies.ts'

/** Headers that belong to the connection or to the proxy, and not to the response; the last one is sent under https only. */
const ofConnection = [
  'connection',
  'date',
  'keep-alive',
  'server',
  'transfer-encoding',
  'alt-svc',
  'via',
  'strict-transport-security',
]

/** The headers of the answer. In a part itself nginx does not repeat that there are parts. */
const ownHeaders = ({ status, headers }: Passed) =>
  Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !ofConnection.includes(name) && !(status === 206 && name === 'accept-ranges'),
    ),
  )

export function uploadThrough(
  proxy: FrontProxy,
  tenant: TestTenant,
  file: Buffer,
  passing: Passing = {},
): Promise<Passed> {
  const { type, bytes } = multipartOf([{ name: 'source', value: file, fileName: 'picture.png' }])
  const headers = { 'content-type': type, 'x-api-key': tenant.apiKey, ...passing.headers }
  return askProxy(proxy, '/api/1/upload', { ...passing, method: 'POST', bytes, headers })
}

const spoofed = ['X-Forwarded-For', 'X-Real-IP', 'X-Client-IP', 'True-Client-IP', 'CF-Connecting-IP']

/** The management API has a list that the client is not on and says it is; the installation believes its proxy. */
export async function assertClientAddresses(app: TestApp, proxy: FrontProxy): Promise<void> {
  const signed = { 'x-api-key': app.key, 'x-signature': app.sign('') }
  const verify = (headers: Record<string, string> = {}) =>
    askProxy(proxy, '/_/api/4/auth/verify', { method: 'POST', headers: { ...signed, ...headers } })
  assert.equal((await verify()).status, 403)
  for (const name of spoofed) assert.equal((await verify({ [name]: '10.0.0.1' })).status, 403, name)
  assert.equal((await verify({ Forwarded: 'for=10.0.0.1' })).status, 403)
  const all = Object.fromEntries(spoofed.map((name) => [name, '10.0.0.1']))
  assert.equal((await verify({ ...all, Forwarded: 'for=10.0.0.1;host=dogs.test' })).status, 403)

  for (const headers of [{}, { 'X-Forwarded-Host': 'dogs.test' }, { Forwarded: 'host=dogs.test' }])
    assert.match((await askProxy(proxy, '/', { headers })).text, /<h1>cats\.test<\/h1>/)
  for (const path of ['/_/metrics', '/_/api/4/config/proxy', '/_/tls/ask?domain=cats.test']) {
    for (const host of ['cats.test', 'localhost']) {
      // Caddy has no certificate for a name that no tenant has.
      if (host === 'localhost' && proxy.scheme === 'https') continue
      const { status } = await askProxy(proxy, path, { host })
      assert.ok(status === 401 || status === 403, `${path} at ${host}: ${status}`)
    }
  }
}

/** A body larger than the default limit of proxies, then one larger than the site's limit. */
export async function assertUploads(app: TestApp, proxy: FrontProxy, tenant: TestTenant): Promise<Passed> {
  const file = await noise(1_000, 1_000)
  assert.ok(file.length > 2_000_000)
  const answer = await uploadThrough(proxy, tenant, file)
  assert.equal(answer.status, 200, answer.text)
  const { url, delete_url } = answer.json.image
  const base = `${proxy.scheme}://cats.test:${proxy.port}/`
  for (const address of [url, delete_url]) assert.ok(address.startsWith(base), address)
  const forged = { 'x-forwarded-proto': proxy.scheme === 'https' ? 'http' : 'https' }
  const again = await uploadThrough(proxy, tenant, file, { headers: forged })
  assert.ok(again.json.image.url.startsWith(base), again.json.image.url)

  const edited = await app.call('PATCH', `tenants/${tenant.id}`, {
    limits: { SERVICE_MAX_UPLOAD_SIZE: '1M' },
  })
  assert.equal(edited.status, 204)
  const refused = await uploadThrough(proxy, tenant, file)
  assert.deepEqual([refused.status, refused.json?.status_code], [413, 413], refused.text)
  await app.call('PATCH', `tenants/${tenant.id}`, { limits: {} })
  return answer
}

/** Every header and every byte is what Terrace answers by itself, for every way to ask. */
export async function assertServedAlike(app: TestApp, proxy: FrontProxy, image: any): Promise<void> {
  const direct: FrontProxy = { ...proxy, port: app.port, scheme: 'http' }
  const derived = ['width=320&format=webp', 'width=500'].map((query) => `${image.url}?${query}`)
  for (const address of [image.url, image.thumb.url, ...derived]) {
    const { pathname, search } = new URL(address)
    const path = pathname + search
    // The first answer is the one that makes a picture.
    for (let time = 0; time < 2; time += 1) assert.equal((await askProxy(direct, path)).status, 200)
    const { headers } = await askProxy(direct, path)
    const [tag, time] = [String(headers.etag), String(headers['last-modified'])]
    assert.match(String(headers['cache-control']), /^public, max-age=\d+, immutable$/)
    const earlier = new Date(Date.parse(time) - 60_000).toUTCString()
    const later = new Date(Date.now() + 60_000).toUTCString()
    for (const asked of [
      {},
      { range: 'bytes=5-9' },
      { range: 'bytes=-7' },
      { range: 'bytes=100-' },
      { range: 'bytes=99999999-' },
      { range: 'bytes=0-1,5-9' },
      { range: 'bytes=5-9', 'if-range': tag },
      { range: 'bytes=5-9', 'if-range': time },
      { range: 'bytes=5-9', 'if-range': '"another"' },
      { 'if-none-match': tag },
      { 'if-none-match': `W/${tag}` },
      { 'if-none-match': '"another"' },
      { 'if-modified-since': time },
      { 'if-modified-since': later },
      { 'if-modified-since': earlier },
      { 'if-match': tag },
      { 'if-match': '"another"' },
      { 'if-unmodified-since': time },
      { 'if-unmodified-since': earlier },
    ] as Record<string, string>[]) {
      // A range of HEAD, which has no meaning, nginx answers as one of GET.
      for (const method of asked.range === undefined ? ['GET', 'HEAD'] : ['GET']) {
        const [expected, passed] = [
          await askProxy(direct, path, { method, headers: asked }),
          await askProxy(proxy, path, { method, headers: asked }),
        ]
        const words = `${method} ${path} ${JSON.stringify(asked)}`
        assert.equal(passed.status, expected.status, words)
        assert.ok(passed.bytes.equals(expected.bytes) || passed.status >= 400, words)
        if (passed.status < 400) assert.deepEqual(ownHeaders(passed), ownHeaders(expected), words)
        else assert.equal(passed.headers['cache-control'], 'no-store', words)
      }
    }
  }
  const missing = await askProxy(proxy, '/images/none.png')
  assert.deepEqual([missing.status, missing.json?.status_code], [404, 404])
  assert.equal(missing.headers['cache-control'], 'no-store')
}

/** The documented time-outs are this many times shorter for `assertSlowUpload`, which has 8 seconds instead of 320. */
export const hurry = { times: 40 }

/** 7 MB in 320 seconds of the hurried proxy: longer than any limit that a block had on a whole request. */
export async function assertSlowUpload(proxy: FrontProxy, tenant: TestTenant): Promise<void> {
  const plain = sharp({ create: { width: 1_550, height: 1_500, channels: 3, background: '#135' } })
  const file = await plain.png({ compressionLevel: 0 }).toBuffer()
  assert.ok(file.length > 6_900_000)
  const answer = await uploadThrough(proxy, tenant, file, { lastsMs: 320_000 / hurry.times })
  assert.deepEqual([answer.status, answer.json?.image?.size], [200, file.length], answer.text)
  const { bytes } = await askProxy(proxy, new URL(answer.json.image.url).pathname)
  assert.ok(bytes.equals(file))
}

/** Half a body and then silence, by every way to upload. */
export async function assertStalledBodies(proxy: FrontProxy, tenant: TestTenant): Promise<void> {
  const file = await noise(300, 300)
  const form = multipartOf([{ name: 'source', value: file, fileName: 'picture.png' }])
  const tus = { 'tus-resumable': '1.0.0', 'x-api-key': tenant.apiKey }
  const created = await askProxy(proxy, '/api/5/uploads', {
    method: 'POST',
    headers: { ...tus, 'upload-length': String(file.length), 'content-length': '0' },
  })
  assert.equal(created.status, 201, created.text)
  const resumed = { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0', ...tus }
  for (const [method, path, headers, bytes] of [
    ['POST', '/api/1/upload', { 'content-type': form.type }, form.bytes],
    ['POST', '/api/5/files', { 'content-type': form.type }, form.bytes],
    ['PATCH', String(created.headers.location), resumed, file],
    // Refused, and not yet answered: its sender may read last.
    ['POST', '/api/5/files', { 'content-type': form.type, 'x-api-key': 'wrong' }, form.bytes],
  ] as [string, string, Record<string, string>, Buffer][]) {
    const socket = await connectTo(proxy)
    const all = { host: 'cats.test', 'x-api-key': tenant.apiKey, 'content-length': bytes.length, ...headers }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
    socket.write(bytes.subarray(0, bytes.length / 2))
    assert.match(await text(socket), /^HTTP\/1\.1 408 /, `${method} ${path}`)
  }
}

/** Sends a whole body before it reads a byte, as httpx and python-requests do; resolves to the response. */
export async function sendThenRead(proxy: FrontProxy, head: readonly string[], sizeBytes: number) {
  const socket = await connectTo(proxy)
  const broken = once(socket, 'error').then(([error]) => Promise.reject(error))
  broken.catch(() => undefined)
  const write = async (bytes: Buffer | string) => {
    if (!socket.write(bytes)) await Promise.race([once(socket, 'drain'), broken])
  }
  await write([...head, `Content-Length: ${sizeBytes}`, '', ''].join('\r\n'))
  const piece = Buffer.alloc(1_000_000, 'a')
  for (let left = sizeBytes; left > 0; left -= piece.length) await write(piece.subarray(0, left))
  const [answer] = await Promise.race([once(socket, 'data'), broken])
  socket.destroy()
  return String(answer)
}

/** 101 MB, which every site of the test refuses, are read on until the client looks for the reason. */
export async function assertRefusedLast(proxy: FrontProxy, { hostname, apiKey }: TestTenant): Promise<void> {
  const form = 'Content-Type: multipart/form-data; boundary=x'
  for (const [path, header, status] of [
    ['/api/1/upload', `X-API-Key: ${apiKey}`, 413],
    ['/api/5/files', `X-API-Key: ${apiKey}`, 413],
    ['/api/1/upload', 'X-API-Key: trc_wrong', 400],
    ['/api/5/files', 'X-API-Key: trc_wrong', 401],
    ['/api/5/albums', `X-API-Key: ${apiKey}`, 403],
    ['/none', `X-API-Key: ${apiKey}`, 404],
  ] as const) {
    const head = [`POST ${path} HTTP/1.1`, `Host: ${hostname}`, header, form]
    const answer = await sendThenRead(proxy, head, 101_000_000)
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), `${path} with ${header}`)
  }
}
