import { readFile, stat } from 'node:fs/promises'
import { isIP } from 'node:net'

/** Addresses by hostname, in lower case, as `/etc/hosts` lists them. */
export type HostsEntries = ReadonlyMap<string, readonly string[]>

/** The search list of `/etc/resolv.conf`: domains that complete a short name. */
export interface SearchList {
  readonly domains: readonly string[]
  /** A name with fewer dots is tried with each of the domains first. */
  readonly minDots: number
}

export function parseHosts(text: string): HostsEntries {
  const entries = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    // A zone id names a link of this machine, which uploads are never fetched from.
    if (isIP(address) === 0 || address.includes('%')) continue
    for (const name of names) {
      const key = name.toLowerCase()
      const known = entries.get(key)
      if (!known) entries.set(key, [address])
      else if (!known.includes(address)) known.push(address)
    }
  }
  return entries
}

export function parseResolvConf(text: string): SearchList {
  let domains: string[] = []
  let minDots = 1
  for (const line of text.split('\n')) {
    const [keyword, ...words] = line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/)
    // resolv.conf(5): of several lines "search" or "domain", the last one counts.
    if (keyword === 'search' || keyword === 'domain') domains = words.map(plainDomain).filter(Boolean)
    if (keyword !== 'options') continue
    const digits = words.map((word) => /^ndots:(\d{1,2})$/.exec(word)?.[1]).findLast(Boolean)
    if (digits !== undefined) minDots = Math.min(15, Number(digits))
  }
  // The traditional limit of resolvers; each domain is one more query.
  return { domains: domains.slice(0, 6), minDots }
}

const plainDomain = (domain: string) => domain.toLowerCase().replace(/\.$/, '')

/** The names to query, in the order of resolv.conf(5). */
export function candidatesOf(hostname: string, { domains, minDots }: SearchList): string[] {
  const inDomains = domains.map((domain) => `${hostname}.${domain}`).filter((name) => name.length <= 253)
  const dots = hostname.split('.').length - 1
  return dots >= minDots ? [hostname, ...inDomains] : [...inDomains, hostname]
}

/** Reads a small system file again only if it has changed; a file that cannot be read counts as empty. */
export function watchedFile<T>(path: string, parse: (text: string) => T): () => Promise<T> {
  let known: { state: string; parsed: T } | undefined
  return async () => {
    const found = await stat(path).catch(() => undefined)
    const state = found ? `${found.mtimeMs} ${found.size} ${found.ino}` : 'missing'
    if (known?.state !== state) {
      const text = found ? await readFile(path, 'utf8').catch(() => '') : ''
      known = { state, parsed: parse(text) }
    }
    return known.parsed
  }
}
