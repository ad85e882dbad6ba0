import type { Config } from '../config.ts'

const ownPort = { http: 80, https: 443 }

/** A site's address as the outside sees it, built from its host name and never from a header. */
export function publicUrl(config: Config, hostname: string): string {
  const scheme = config.publicScheme ?? 'http'
  const port = config.publicPort ?? (config.publicScheme ? ownPort[scheme] : config.listen.port)
  return `${scheme}://${hostname}${port === ownPort[scheme] ? '' : `:${port}`}/`
}

/** Where a proxy on this machine reaches us. */
export function ownUrl({ listen }: Config): string {
  const host = anyAddress.has(listen.host) ? '127.0.0.1' : listen.host
  return `http://${host.includes(':') ? `[${host}]` : host}:${listen.port}`
}

const anyAddress = new Set(['0.0.0.0', '::'])
