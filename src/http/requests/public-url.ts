import type { Config } from '../../config.ts'
import type { Scheme } from './forwarded.ts'

const defaultPort = { http: 80, https: 443 }

/** The scheme that the operator set, else that of a trusted proxy's header; undefined if there is neither. */
export const schemeOf = (config: Config, forwarded: Scheme | undefined): Scheme | undefined =>
  config.publicScheme ?? forwarded

/** A site's URL as clients see it, built from its host name and never from a client's header. */
export function publicUrl(config: Config, hostname: string, forwarded?: Scheme): string {
  const known = schemeOf(config, forwarded)
  const scheme = known ?? 'http'
  // A known scheme means a proxy in front, behind which clients do not see the port that we listen on.
  const port = config.publicPort ?? (known ? defaultPort[scheme] : config.listen.port)
  return `${scheme}://${hostname}${port === defaultPort[scheme] ? '' : `:${port}`}/`
}

/** The URL at which a proxy on this machine reaches this server. */
export function ownUrl({ listen }: Config): string {
  const host = anyAddress.has(listen.host) ? '127.0.0.1' : listen.host
  return `http://${host.includes(':') ? `[${host}]` : host}:${listen.port}`
}

const anyAddress = new Set(['0.0.0.0', '::'])
