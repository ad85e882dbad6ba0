import { Agent, request } from 'node:http'
import type { Tenant } from './installation.ts'

export interface Answer {
  /** 0 where the connection broke before an answer. */
  status: number
  bytes: Buffer
  milliseconds: number
}

interface Call {
  method?: string
  headers?: Record<string, string>
  body?: Buffer
}

/** Over kept connections, as a proxy has them. */
const agent = new Agent({ keepAlive: true, maxSockets: 512 })

export function ask(port: number, host: string, path: string, call: Call = {}): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>()
  const started = performance.now()
  const chunks: Buffer[] = []
  const end = (status: number) =>
    resolve({ status, bytes: Buffer.concat(chunks), milliseconds: performance.now() - started })
  const outgoing = request({
    agent,
    port,
    path,
    host: '127.0.0.1',
    method: call.method ?? 'GET',
    headers: {
      host,
      ...call.headers,
      ...(call.body && { 'content-length': String(call.body.length) }),
    },
  })
  outgoing.on('error', () => end(0))
  outgoing.on('response', (incoming) => {
    incoming.on('data', (chunk) => chunks.push(chunk))
    incoming.on('error', () => end(0))
    incoming.on('end', () => end(incoming.statusCode ?? 0))
  })
  outgoing.end(call.body)
  return promise
}

const boundary = '----terrace-long-run'

/** As a file in a form, the way most clients send it. */
export function upload(port: number, tenant: Tenant, file: Buffer): Promise<Answer> {
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="source"; filename="a.png"\r\n\r\n`
  const body = Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${boundary}--\r\n`)])
  const type = `multipart/form-data; boundary=${boundary}`
  return ask(port, tenant.host, '/api/1/upload', {
    method: 'POST',
    body,
    headers: { 'x-api-key': tenant.key, 'content-type': type },
  })
}

/** By its address elsewhere. */
export function uploadUrl(port: number, tenant: Tenant, url: string): Promise<Answer> {
  const body = Buffer.from(new URLSearchParams({ source: url }).toString())
  return ask(port, tenant.host, '/api/1/upload', {
    method: 'POST',
    body,
    headers: { 'x-api-key': tenant.key, 'content-type': 'application/x-www-form-urlencoded' },
  })
}

export interface Uploaded {
  /** Paths on the tenant's host. */
  file: string
  thumb: string
  page: string
}

export function readUploaded({ bytes }: Answer): Uploaded {
  const { image } = JSON.parse(bytes.toString()) as {
    image: { url: string; thumb: { url: string }; url_viewer: string }
  }
  const pathOf = (url: string) => new URL(url).pathname
  return { file: pathOf(image.url), thumb: pathOf(image.thumb.url), page: pathOf(image.url_viewer) }
}
