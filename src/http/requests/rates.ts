import type { Caller } from '../../accounts/index.ts'
import type { App } from '../../app.ts'
import { LruMap } from '../../lib/lru.ts'
import { addressKey } from '../../lib/net/addresses.ts'
import { Refusal } from '../../lib/refusal.ts'
import { limitOf, type Site } from '../../site/index.ts'

export type RatePolicy = 'reads' | 'writes' | 'search'

const limitNames = {
  reads: 'SERVICE_RATE_READS',
  writes: 'SERVICE_RATE_WRITES',
  search: 'SERVICE_RATE_SEARCH',
} as const

const windowSeconds = 60

/** Bounds the memory; the least recently used counter is dropped, and its caller starts anew. */
const mostCounters = 50_000

interface Counter {
  startedAt: number
  used: number
}

/** For lists that can be searched: with `q` a call counts as a search. */
export const searchRate = (url: string): RatePolicy => (/[?&]q=/.test(url) ? 'search' : 'reads')

/** A caller by its key, else by its user, else by its network. */
export interface RatedCaller {
  keyId?: string | undefined
  userId?: string | undefined
  address: string
}

export const ratedCaller = (caller: Caller, address: string): RatedCaller =>
  caller.kind === 'guest' ? { address } : { keyId: caller.keyId, userId: caller.userId, address }

export interface Rate {
  /** Headers of draft-ietf-httpapi-ratelimit-headers; empty if the policy has no limit. */
  headers: Readonly<Record<string, string>>
  refusal: Refusal | undefined
}

interface Counted {
  /** The caller and the policy. */
  name: string
  now: number
  used: number
}

type Count = (counted: Counted) => Counter | Promise<Counter>

const countsOf = new WeakMap<App, Count>()

/** The first process counts for all processes of the server. */
export function shareRates(app: App): void {
  const { first } = app.processes
  const count = countHere()
  app.processes.answer('rate', count)
  countsOf.set(app, first ? (counted) => first.ask<Counter>('rate', counted) : count)
}

function countHere(): (counted: Counted) => Counter {
  const counters = new LruMap<string, Counter>(mostCounters)
  return ({ name, now, used }) => {
    const counter = currentCounter(counters.get(name), now)
    counter.used += used
    counters.set(name, counter)
    // The state at this request: others may follow before the caller reads it.
    return { ...counter }
  }
}

function countOf(app: App): Count {
  if (!countsOf.has(app)) shareRates(app)
  return countsOf.get(app) as Count
}

/**
 * Counts the requests of each caller, of API and pages together, in windows of a minute. Each server counts for itself. A
 * request that is free is not counted and never refused; its headers have the state of the others.
 */
export async function takeRate(
  app: App,
  site: Site,
  policy: RatePolicy,
  caller: RatedCaller & { isFree?: boolean | undefined },
): Promise<Rate> {
  const limit = limitOf(site.values, limitNames[policy])
  if (limit === undefined) return { headers: {}, refusal: undefined }
  const name = `${site.number} ${policy} ${nameOf(caller)}`
  const now = site.clock.now().getTime() / 1_000
  const counter = await countOf(app)({ name, now, used: caller.isFree ? 0 : 1 })
  const secondsLeft = Math.max(1, Math.ceil(counter.startedAt + windowSeconds - now))
  const headers = {
    'ratelimit-policy': `"${policy}";q=${limit};w=${windowSeconds}`,
    ratelimit: `"${policy}";r=${Math.max(0, limit - counter.used)};t=${secondsLeft}`,
  }
  return {
    headers,
    refusal: counter.used > limit && !caller.isFree ? tooManyRequests(policy, limit, secondsLeft) : undefined,
  }
}

function nameOf({ keyId, userId, address }: RatedCaller): string {
  if (keyId !== undefined) return `key ${keyId}`
  return userId === undefined ? addressKey(address) : `user ${userId}`
}

/** A counter from the future means that the clock was set back. */
function currentCounter(counter: Counter | undefined, now: number): Counter {
  const isCurrent = counter && counter.startedAt <= now && now < counter.startedAt + windowSeconds
  return isCurrent ? counter : { startedAt: now, used: 0 }
}

const tooManyRequests = (policy: RatePolicy, limit: number, retryAfterSeconds: number) =>
  new Refusal(
    'too-many',
    'rate-limited',
    `More than ${limit} ${policy} in ${windowSeconds} seconds. Try again in ${retryAfterSeconds} seconds.`,
    { retryAfterSeconds },
  )
