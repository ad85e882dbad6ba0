import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { App } from '../../app.ts'
import { firstByteAt } from '../../http/connection/first-byte.ts'
import { type FastPath, trackResponse } from '../../http/connection/raw-responses.ts'
import type { Measure } from '../../http/monitoring/metrics.ts'
import { isUnderHttps } from '../../http/requests/client-info.ts'
import { firstHeaders, httpsHeaders } from '../../http/responses/headers.ts'
import { type Asset, assetOf, assetsPrefix, type Encoding } from './assets.ts'

const assetPolicy = `${firstHeaders['content-security-policy']}; sandbox`

/** Answers requests for assets before the framework, on every host: from memory, whatever the store and the site. */
export function assetsFastPath({ config }: Pick<App, 'config'>, server: Server, measure: Measure): FastPath {
  return (request, response) => {
    const { method = '', url = '' } = request
    if (!url.startsWith(assetsPrefix) || (method !== 'GET' && method !== 'HEAD')) return false
    const startedAt = firstByteAt(request)
    response.on('close', () => {
      const elapsedMs = performance.now() - startedAt
      measure({ method, route: `${assetsPrefix}*`, status: response.statusCode, elapsedMs })
    })
    trackResponse(response)
    // A drawing that is opened by itself is a document.
    response.setHeader('content-security-policy', assetPolicy)
    response.setHeader('x-content-type-options', 'nosniff')
    if (isUnderHttps(request, config))
      for (const [name, value] of Object.entries(httpsHeaders)) response.setHeader(name, value)
    if (!server.listening) response.setHeader('connection', 'close')
    const asset = assetOf(url.slice(assetsPrefix.length).split('?', 1).join())
    if (asset) send(request, response, asset)
    else sendNotFound(response)
    return true
  }
}

function send(request: IncomingMessage, response: ServerResponse, asset: Asset): void {
  const encoding = encodingFor(request.headers['accept-encoding'])
  const etag = encoding === 'identity' ? `"${asset.hash}"` : `"${asset.hash}-${encoding}"`
  const headers = {
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
    etag,
    'cross-origin-resource-policy': 'same-origin',
  }
  if (isKnown(request.headers['if-none-match'], etag)) {
    response.writeHead(304, headers).end()
    return
  }
  const bytes = asset.bytes[encoding]
  response.writeHead(200, {
    ...headers,
    'content-type': asset.contentType,
    'content-length': bytes.length,
    ...(encoding !== 'identity' && { 'content-encoding': encoding }),
  })
  response.end(request.method === 'HEAD' ? undefined : bytes)
}

/** A name of a later build must not be remembered as missing: another server may have it already. */
function sendNotFound(response: ServerResponse): void {
  const text = 'There is no such asset.\n'
  response.writeHead(404, {
    'cache-control': 'no-store',
    'content-type': 'text/plain; charset=utf-8',
    'content-length': text.length,
  })
  response.end(response.req.method === 'HEAD' ? undefined : text)
}

function isKnown(condition: string | undefined, etag: string): boolean {
  const tags = (condition ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}

/** The smallest form that the client takes (RFC 9110, 12.5.3): a coding with `q=0` is refused. */
function encodingFor(accepted = ''): Encoding {
  const codings = new Map(
    accepted
      .toLowerCase()
      .split(',')
      .map((part) => {
        const [name = '', ...parameters] = part.split(';').map((word) => word.trim())
        const quality = parameters.find((word) => word.startsWith('q='))?.slice(2) ?? '1'
        return [name, Number(quality) > 0] as const
      }),
  )
  const takes = (name: Encoding) => codings.get(name) ?? codings.get('*') ?? false
  if (takes('br')) return 'br'
  return takes('gzip') ? 'gzip' : 'identity'
}
