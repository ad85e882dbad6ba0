// Receives the purges of Terrace and deletes what nginx and Varnish keep: docs/operations.md, "Caches in front".
import { createHmac, timingSafeEqual } from 'node:crypto'
import { open, readdir, rm } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { join } from 'node:path'

const { PURGE_SECRET = '', PURGE_NGINX_FOLDER, PURGE_VARNISH_URL } = process.env
const secret = Buffer.from(PURGE_SECRET.replace(/^whsec_/, ''), 'base64')
if (secret.length < 24) throw new Error('PURGE_SECRET must be the value of SERVICE_PURGE_SECRET.')

/** For a CDN, call its API here: by `tags`, or by `urls` without their queries. */
async function purge({ urls }) {
  if (PURGE_NGINX_FOLDER) await forgetInNginx(new Set(urls.map((url) => keyOf(url))))
  for (const url of PURGE_VARNISH_URL ? urls : []) await askVarnish(url)
}

const keyOf = (url) => new URL(url).hostname + new URL(url).pathname

/** Each file of the cache has a line with its key, which begins with `$host$uri`. */
async function forgetInNginx(keys) {
  for (const entry of await readdir(PURGE_NGINX_FOLDER, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const head = await firstBytes(path).catch(() => '')
    const key = /\nKEY: ([^\n?]*)/.exec(head)?.[1]
    if (key !== undefined && keys.has(key)) await rm(path, { force: true })
  }
}

async function firstBytes(path) {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4_096), 0, 4_096, 0)
    return buffer.toString('latin1', 0, bytesRead)
  } finally {
    await file.close()
  }
}

function askVarnish(url) {
  const { host, pathname, search } = new URL(url)
  const { promise, resolve, reject } = Promise.withResolvers()
  const asked = request(PURGE_VARNISH_URL, { method: 'PURGE', path: pathname + search, headers: { host } })
  asked.on('response', (answer) => {
    answer.resume()
    if (answer.statusCode < 300) resolve()
    else reject(new Error(`Varnish answered ${answer.statusCode}.`))
  })
  asked.on('error', reject)
  asked.setTimeout(5_000, () => asked.destroy(new Error('Varnish does not answer.')))
  asked.end()
  return promise
}

function isSigned(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures = '' } = headers
  const right = createHmac('sha256', secret).update(`${id}.${at}.${body}`).digest()
  const isRecent = Math.abs(Date.now() / 1_000 - Number(at)) < 300
  return (
    isRecent &&
    signatures.split(' ').some((text) => {
      const given = Buffer.from(text.replace(/^v1,/, ''), 'base64')
      return given.length === right.length && timingSafeEqual(given, right)
    })
  )
}

createServer(async (incoming, response) => {
  const chunks = []
  for await (const chunk of incoming) chunks.push(chunk)
  const body = Buffer.concat(chunks).toString()
  try {
    if (!isSigned(incoming.headers, body)) return response.writeHead(401).end()
    await purge(JSON.parse(body))
    response.writeHead(204).end()
  } catch (error) {
    console.error(error.message)
    response.writeHead(500).end()
  }
}).listen(Number(process.argv[2] ?? 8099), '127.0.0.1')
