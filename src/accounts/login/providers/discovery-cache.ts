import { LruMap } from '../../../lib/lru.ts'
import type { GuardedFetch } from '../../../lib/net/guarded-fetch.ts'

const keptMs = 600_000
// Documents of providers have some kilobytes; 500 of the longest that are kept take 16 MB.
const [mostDocuments, longestKept] = [500, 32_768]

interface Read {
  answer: Promise<{ text: string; status: number; type: string }>
  at: number
}

export interface DiscoveryScope {
  /** The site and its allow list: another site's document, or one that was read under other rules, is never taken. */
  scope: string
  now: Date
  /** Reads the document even if there is a recent one. */
  isFresh?: boolean
}

export interface CachedFetch {
  fetch: GuardedFetch
  /** After a failure: the next request reads the document again. */
  forget(): void
}

/**
 * Discovery documents of providers for ten minutes, by the address that they were read from. Concurrent requests share
 * one read. Every request checks the document anew, so a document of another issuer is never taken for a good one.
 */
export class DiscoveryCache {
  readonly #reads = new LruMap<string, Read>(mostDocuments)

  /** A fetch for discovery alone: it answers with the document, read now or lately. */
  through(fetch: GuardedFetch, { scope, now, isFresh = false }: DiscoveryScope): CachedFetch {
    const taken = new Map<string, Read>()
    return {
      fetch: async (url, request) => {
        const key = `${scope}\n${url}`
        const known = isFresh ? undefined : this.#recent(key, now)
        const read = known ?? { answer: readAnswer(fetch(url, request)), at: now.getTime() }
        taken.set(key, read)
        if (!known) this.#reads.set(key, read)
        const { text, status, type } = await read.answer
        if (text.length > longestKept) this.#delete(key, read)
        // An answer without content, such as 204, takes no body at all.
        return new Response(text || null, { status, headers: { 'content-type': type } })
      },
      forget: () => {
        for (const [key, read] of taken) this.#delete(key, read)
      },
    }
  }

  /** A clock that was set back must not make a document last longer. */
  #recent(key: string, now: Date): Read | undefined {
    const read = this.#reads.get(key)
    const age = now.getTime() - (read?.at ?? 0)
    return read && age >= 0 && age < keptMs ? read : undefined
  }

  #delete(key: string, read: Read): void {
    if (this.#reads.get(key) === read) this.#reads.delete(key)
  }
}

async function readAnswer(answering: Promise<Response>): Read['answer'] {
  const response = await answering
  return {
    text: await response.text(),
    status: response.status,
    type: response.headers.get('content-type') ?? '',
  }
}
