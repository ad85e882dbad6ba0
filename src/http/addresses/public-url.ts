import type { FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import type { Config } from '../../config.ts'
import { type PublicAddress, recordedPublicAddress, recordPublicAddress } from '../../control/index.ts'
import { openSealedText } from '../../lib/sealed-text.ts'
import { type Share, tokenOwner } from '../../media/index.ts'
import type { Site } from '../../site/index.ts'
import type { Scheme } from '../requests/client-info.ts'
import { siteKey } from '../site-key.ts'

const defaultPort = { http: 80, https: 443 }

/** The scheme that the operator set, else that of a trusted proxy's header; undefined if there is neither. */
export const schemeOf = (config: Config, forwarded: Scheme | undefined): Scheme | undefined =>
  config.publicScheme ?? forwarded

/** A site's URL as clients see it, built from its hostname and never from a client's header. */
export function publicUrl(config: Config, hostname: string, forwarded?: Scheme): string {
  const { scheme, port } = publicAddressOf(config, forwarded)
  return `${scheme}://${hostname}${port === defaultPort[scheme] ? '' : `:${port}`}/`
}

/** For what no request asks for. Behind a proxy that gives the scheme, it is the one that was recorded. */
export async function recordedPublicUrl({ config, control }: App, hostname: string): Promise<string> {
  const isByProxy = config.publicScheme === undefined && !config.trustedProxies.isEmpty
  const recorded = isByProxy ? await recordedPublicAddress(control) : undefined
  return publicUrl(config, hostname, recorded?.scheme)
}

function publicAddressOf(config: Config, forwarded?: Scheme): PublicAddress {
  const known = schemeOf(config, forwarded)
  const scheme = known ?? 'http'
  // A known scheme means a proxy in front, behind which clients do not see the port that we listen on.
  return { scheme, port: config.publicPort ?? (known ? defaultPort[scheme] : config.listen.port) }
}

/** Of each running server: the scheme with which it has recorded its address. */
const recordedSchemes = new WeakMap<App, Scheme>()

/**
 * Records the address that visitors use, for the tool. If no setting has the scheme, a trusted proxy's header says it: then
 * the first request records it. A proxy may serve both schemes; https counts.
 */
export function recordAddress(app: App, config: Config, forwarded?: Scheme): void {
  if (forwarded === undefined && config.publicScheme === undefined && !config.trustedProxies.isEmpty) return
  const address = publicAddressOf(config, forwarded)
  const known = recordedSchemes.get(app)
  if (known === address.scheme || known === 'https') return
  recordedSchemes.set(app, address.scheme)
  recordPublicAddress(app.control, { ...address, consoleHostname: config.console.hostname }).catch((error) =>
    app.log.warn({ error: String(error) }, 'The public address could not be recorded for the tool'),
  )
}

/** The URL at which a proxy on this machine reaches this server. */
export function ownUrl({ listen }: Config): string {
  const host = anyAddress.has(listen.host) ? '127.0.0.1' : listen.host
  return `http://${host.includes(':') ? `[${host}]` : host}:${listen.port}`
}

const anyAddress = new Set(['0.0.0.0', '::'])

/** The address of a share for visitors; undefined if its token was sealed with another secret. */
export const shareUrlOf =
  ({ app, site, request }: { app: App; site: Site; request?: FastifyRequest }) =>
  ({ id, sealedToken }: Share): string | undefined => {
    const token = openSealedText(siteKey(app, site, 'share tokens'), sealedToken, tokenOwner(id))
    return token && `${publicUrl(app.config, site.hostname, request?.client.scheme)}share/${token}`
  }

/** The name in a path. Clients resolve `.` and `..`, percent-encoded too, before they send a request; a space, which is trimmed, stops them. */
export const tagKey = (name: string): string =>
  /^\.{1,2}$/.test(name) ? `${name.replaceAll('.', '%2E')}%20` : encodeURIComponent(name)

/** The page of a tag. */
export const tagPath = (name: string): string => `/tag/${tagKey(name)}`
