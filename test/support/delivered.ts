import { type IncomingHttpHeaders, request } from 'node:http'
import { findBytes } from '../../src/media/index.ts'
import type { TestApp } from './harness.ts'
import { onSiteOf, type TestTenant } from './uploads.ts'

export interface Delivered {
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
  text: string
}

/** Asks for an address of a site as it stands in an answer, and keeps the bytes as they come. */
export async function ask(
  app: { port: number },
  url: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Delivered> {
  const { host, pathname, search } = new URL(url)
  const { promise, resolve, reject } = Promise.withResolvers<Delivered>()
  const outgoing = request({
    host: '127.0.0.1',
    port: app.port,
    method,
    path: pathname + search,
    agent: false,
    headers: { host, ...headers },
  })
  outgoing.on('error', reject)
  outgoing.on('response', (incoming) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk) => chunks.push(chunk))
    incoming.on('error', reject)
    incoming.on('end', () => {
      const bytes = Buffer.concat(chunks)
      resolve({
        status: incoming.statusCode ?? 0,
        headers: incoming.headers,
        bytes,
        text: bytes.toString(),
      })
    })
  })
  outgoing.end()
  return promise
}

/** The headers that browsers send when a person follows a link. */
export const browserHeaders = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
}

/** A page without its own path, which the forms of its footer and the log-in come back to. */
export const withoutPath = (page: string): string =>
  page.replaceAll(/name="to" value="[^"]*"|href="\/login\?to=[^"]*"/g, '')

/** Where the bytes of an address lie on the disk. */
export function pathOnDisk(app: TestApp, tenant: TestTenant, url: string): Promise<string> {
  return onSiteOf(app, tenant, async (site) => {
    const path = new URL(url).pathname.slice(1)
    const at = path.lastIndexOf('/')
    const found = await findBytes(site, { folder: path.slice(0, at), fileName: path.slice(at + 1) })
    return site.storage.localPath?.(found?.key ?? '') ?? ''
  })
}
