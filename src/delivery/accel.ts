import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { dirname } from 'node:path'
import type { App } from '../app.ts'
import { isFromProxy } from '../http/requests/client-info.ts'
import { LruMap } from '../lib/lru.ts'
import type { Site } from '../site/index.ts'

/** The internal path at which the proxy finds the bytes of a key; undefined if the proxy does not ask for it, or may not. */
type Accel = (request: IncomingMessage, site: Site, key: string) => string | undefined

/**
 * Lets a proxy on the same machine send the bytes. The proxy asks with one header: the internal path under which it
 * serves the data folder, and the HMAC-SHA256 of that path under the request secret, in hexadecimal digits.
 * docs/operations.md has the configuration of nginx.
 *
 * A trusted peer address alone is not enough: many proxies forward headers that they do not know. Then a client could
 * have an empty response put into the proxy's cache, or name any internal path.
 */
export function accelOf(app: App): Accel {
  const root = app.storage.localPath && dirname(app.storage.localPath('a'))
  const verified = new LruMap<string, string>(10)

  function verifiedPrefix(header: string): string | undefined {
    const known = verified.get(header)
    if (known !== undefined) return known
    const [, prefix, proof] = /^((?:\/[A-Za-z0-9_-]+)+)\/? ([0-9a-f]{64})$/i.exec(header) ?? []
    if (prefix === undefined || proof === undefined || !isValidProof(app, prefix, proof)) return undefined
    verified.set(header, prefix)
    if (!app.config.isFilesShared) app.log.warn({ prefix }, notShared)
    return prefix
  }

  return (request, site, key) => {
    const header = request.headers['x-terrace-accel']
    if (root === undefined || typeof header !== 'string' || !isFromProxy(request, app.config))
      return undefined
    // nginx would answer 412 to these itself: it compares its own validators, before ours have replaced them.
    if (request.headers['if-match'] !== undefined || request.headers['if-unmodified-since'] !== undefined)
      return undefined
    const prefix = verifiedPrefix(header)
    const path = site.storage.localPath?.(key)
    // On disk, the files of every site are below one root.
    return prefix && path && prefix + path.slice(root.length)
  }
}

const notShared =
  'A proxy sends stored files itself, but only the account of this server can read them. If the proxy runs under another account, set SERVICE_SHARED_FILES=1'

function isValidProof(app: App, prefix: string, proof: string): boolean {
  const expected = createHmac('sha256', app.requestSecret).update(prefix).digest()
  return timingSafeEqual(expected, Buffer.from(proof, 'hex'))
}
