import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { dirname } from 'node:path'
import type { App } from '../app.ts'
import { isFromProxy } from '../http/requests/client-info.ts'
import { LruMap } from '../lib/lru.ts'
import type { Site } from '../site/index.ts'

/** The internal path at which the proxy finds the bytes of a key; undefined if the proxy does not ask for it, or may not. */
type Accel = (
  request: IncomingMessage,
  site: Site,
  bytes: { key: string; isVarying: boolean | undefined },
) => string | undefined

/**
 * Lets a proxy on the same machine send the bytes. The proxy asks with one header: the internal path under which it
 * serves the data folder, and the HMAC-SHA256 of that path under the request secret, in hexadecimal digits.
 * docs/operations.md has the configuration of nginx.
 *
 * A trusted peer address alone is not enough: many proxies forward headers that they do not know. Then a client could
 * have an empty response put into the proxy's cache, or name any internal path.
 *
 * nginx drops `Vary` when it follows the path, unless its configuration adds it again, as a third word in the header says.
 * Without the word, answers that vary are sent by us: a cache would give AVIF to clients that cannot read it.
 */
export function accelOf(app: App): Accel {
  const root = app.storage.localPath && dirname(app.storage.localPath('a'))
  const verified = new LruMap<string, Verified>(10)

  function verify(header: string): Verified | undefined {
    const known = verified.get(header)
    if (known !== undefined) return known
    const [, prefix, proof, vary] = headerForm.exec(header) ?? []
    if (prefix === undefined || proof === undefined || !isValidProof(app, prefix, proof)) return undefined
    const found = { prefix, addsVary: vary !== undefined }
    verified.set(header, found)
    if (!app.config.isFilesShared) app.log.warn({ prefix }, notShared)
    return found
  }

  return (request, site, { key, isVarying = false }) => {
    const header = request.headers['x-terrace-accel']
    if (root === undefined || typeof header !== 'string' || !isFromProxy(request, app.config))
      return undefined
    // nginx would answer 412 to these itself: it compares its own validators, before ours have replaced them.
    if (request.headers['if-match'] !== undefined || request.headers['if-unmodified-since'] !== undefined)
      return undefined
    const proxy = verify(header)
    if (!proxy || (isVarying && !proxy.addsVary)) return undefined
    const path = site.storage.localPath?.(key)
    // On disk, the files of every site are below one root.
    return path && proxy.prefix + path.slice(root.length)
  }
}

interface Verified {
  prefix: string
  addsVary: boolean
}

const headerForm = /^((?:\/[A-Za-z0-9_-]+)+)\/? ([0-9a-f]{64})( vary)?$/i

const notShared =
  'A proxy sends stored files itself, but only the account of this server can read them. If the proxy runs under another account, set SERVICE_SHARED_FILES=1'

function isValidProof(app: App, prefix: string, proof: string): boolean {
  const expected = createHmac('sha256', app.requestSecret).update(prefix).digest()
  return timingSafeEqual(expected, Buffer.from(proof, 'hex'))
}
