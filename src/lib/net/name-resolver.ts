import { Resolver } from 'node:dns/promises'
import { candidatesOf, parseHosts, parseResolvConf, watchedFile } from './name-files.ts'

export interface Resolving {
  /** Ends the look-up; its queries are cancelled. */
  signal: AbortSignal
  /** Whether the system's search list may complete a short name. */
  usesSearchList: boolean
}

/** Finds all addresses of a hostname. */
export type ResolveName = (hostname: string, resolving: Resolving) => Promise<readonly string[]>

interface ResolverOptions {
  /** Addresses with or without a port; without them, those of the system. */
  servers?: readonly string[] | undefined
  hostsPath?: string
  resolvConfPath?: string
}

// Sent at 0, 700 and 2100 ms: three attempts fit into the 3 seconds that a fetch has for the name.
const firstTryMs = 700
const tries = 3
// Some name servers never answer for IPv6. After one family has answered, the other gets only this long.
const secondFamilyMs = 500
const absent = new Set(['ENOTFOUND', 'ENODATA'])

/**
 * Queries name servers directly. `dns.lookup` would occupy a thread of libuv until the system's resolver gives up, which no
 * time-out can end, and libuv lets two of its four threads do so: two silent names stop every other look-up of the process.
 * As with the system's resolver, an entry of the hosts file wins.
 */
export function nameResolver(options: ResolverOptions = {}): ResolveName {
  const { servers, hostsPath = '/etc/hosts', resolvConfPath = '/etc/resolv.conf' } = options
  const readHosts = watchedFile(hostsPath, parseHosts)
  const readSearchList = watchedFile(resolvConfPath, parseResolvConf)

  return async (hostname, { signal, usesSearchList }) => {
    const listed = (await readHosts()).get(hostname.toLowerCase())
    if (listed) return listed
    // RFC 6761, 6.3: name resolution libraries "SHOULD always return the IP loopback address" for these.
    if (/(?:^|\.)localhost$/i.test(hostname)) return ['127.0.0.1', '::1']
    const candidates = usesSearchList ? candidatesOf(hostname, await readSearchList()) : [hostname]
    return firstFound(candidates, (name) => queryBoth(name, servers, signal))
  }
}

async function firstFound(
  names: readonly string[],
  query: (name: string) => Promise<string[]>,
): Promise<string[]> {
  let fault: unknown
  for (const name of names) {
    try {
      return await query(name)
    } catch (error) {
      if (!absent.has((error as NodeJS.ErrnoException).code ?? '')) throw error
      // The error for the first candidate is the most useful one.
      fault ??= error
    }
  }
  throw fault
}

async function queryBoth(
  name: string,
  servers: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<string[]> {
  signal.throwIfAborted()
  // One per look-up, since cancelling ends all queries of a resolver.
  const resolver = new Resolver({ timeout: firstTryMs, tries })
  if (servers) resolver.setServers(servers)
  const cancel = () => resolver.cancel()
  let timer: NodeJS.Timeout | undefined
  const startTimer = (addresses: string[]) => {
    timer ??= setTimeout(cancel, secondFamilyMs)
    return addresses
  }
  signal.addEventListener('abort', cancel)
  try {
    const [four, six] = await Promise.allSettled([
      resolver.resolve4(name).then(startTimer),
      resolver.resolve6(name).then(startTimer),
    ])
    signal.throwIfAborted()
    const addresses = alternating(addressesIn(four), addressesIn(six))
    if (addresses.length === 0) throw worstFault(four, six)
    return addresses
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', cancel)
  }
}

const addressesIn = (result: PromiseSettledResult<string[]>) =>
  result.status === 'fulfilled' ? result.value : []

/** Alternating, so that both families remain if the list is cut; IPv4 first, which most machines can reach. */
function alternating(four: readonly string[], six: readonly string[]): string[] {
  const length = Math.max(four.length, six.length)
  return Array.from({ length }, (_, index) => [four[index], six[index]])
    .flat()
    .filter((address) => address !== undefined)
}

/** A name does not exist only if both families say so: a fault of the name server says nothing about the name. */
function worstFault(...results: readonly PromiseSettledResult<string[]>[]): unknown {
  const faults = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  return faults.find(({ code }) => !absent.has(code)) ?? faults[0] ?? new Error('The name has no address.')
}
