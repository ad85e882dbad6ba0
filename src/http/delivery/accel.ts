import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { dirname } from 'node:path'
import type { App } from '../../app.ts'
import { LruMap } from '../../lib/lru.ts'
import type { Site } from '../../site/index.ts'
import { isFromProxy } from '../visitor.ts'

/** Where the proxy finds the bytes under this key; nothing when it does not ask for that, or may not. */
type Accel = (request: IncomingMessage, site: Site, key: string) => string | undefined

/**
 * Lets a proxy on the same machine send the bytes. It asks with one header: the address under which it serves the data
 * folder to itself alone, and the HMAC-SHA256 of that address under the request secret, in hexadecimal digits.
 *
 *     location / {
 *       proxy_pass http://127.0.0.1:8080;
 *       proxy_set_header Host $host;
 *       proxy_set_header X-Terrace-Accel "/terrace-files 5f3c…";
 *     }
 *     location /terrace-files/ {
 *       internal;
 *       alias /srv/terrace/data/;
 *       add_header X-Content-Type-Options nosniff;
 *       add_header Content-Security-Policy "default-src 'none'; style-src 'unsafe-inline'; media-src 'self'; sandbox";
 *       add_header Cross-Origin-Resource-Policy cross-origin;
 *       add_header Access-Control-Allow-Origin *;
 *     }
 *
 * A trusted address alone is not enough: many proxies hand on headers that they do not know, and a visitor could have
 * an empty answer put into their cache, or name any internal address.
 */
export function accelOf(app: App): Accel {
  const root = app.storage.localPath && dirname(app.storage.localPath('a'))
  const proved = new LruMap<string, string>(10)

  function provedPrefix(header: string): string | undefined {
    const known = proved.get(header)
    if (known !== undefined) return known
    const [, prefix, proof] = /^((?:\/[A-Za-z0-9_-]+)+)\/? ([0-9a-f]{64})$/i.exec(header) ?? []
    if (prefix === undefined || proof === undefined || !isProof(app, prefix, proof)) return undefined
    proved.set(header, prefix)
    return prefix
  }

  return (request, site, key) => {
    const header = request.headers['x-terrace-accel']
    if (root === undefined || typeof header !== 'string' || !isFromProxy(request, app.config))
      return undefined
    const prefix = provedPrefix(header)
    const path = site.storage.localPath?.(key)
    // On disk, every site's files lie below the one root.
    return prefix && path && prefix + path.slice(root.length)
  }
}

function isProof(app: App, prefix: string, proof: string): boolean {
  const expected = createHmac('sha256', app.requestSecret).update(prefix).digest()
  return timingSafeEqual(expected, Buffer.from(proof, 'hex'))
}
