import type { ClientAuth, Configuration } from 'openid-client'
import { FairSlots, type TenantSlots } from '../../../lib/concurrency/fair-slots.ts'
import { LruMap } from '../../../lib/lru.ts'
import { FetchFailed, type GuardedFetch } from '../../../lib/net/guarded-fetch.ts'
import type { Processes } from '../../../lib/processes/processes.ts'
import { shareTenantSlots } from '../../../lib/processes/shared-slots.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { openSealedText } from '../../../lib/sealed-text.ts'
import type { Site } from '../../../site/index.ts'
import { providerMistaken, providerUnavailable } from './provider-errors.ts'
import { readProvider, secretOwner } from './providers.ts'
import type { Provider } from './providers-table.ts'

/** What the calls to a provider need. */
export interface ProviderAccess {
  /** Opens the secret, and what a browser carries. */
  key: Uint8Array
  /** Goes through the URL guard. */
  fetch: GuardedFetch
  /** Discovery documents of this site's providers. */
  discovery: (isFresh: boolean) => CachedFetch
}

/** The provider as its discovery document describes it. A document that is of no use is not kept. */
export async function openProvider(
  provider: Pick<Provider, 'name' | 'issuer' | 'clientId' | 'sealedSecret'>,
  { key, fetch, discovery }: ProviderAccess,
  { isFresh = false } = {},
): Promise<Configuration> {
  const { issuer, clientId } = provider
  const client = await openidClient()
  const { allowInsecureRequests, enableNonRepudiationChecks } = client
  const auth = await clientAuthOf(openSecret(provider, key))
  const documents = discovery(isFresh)
  try {
    const configuration = await client.discovery(new URL(issuer), clientId, undefined, auth, {
      [client.customFetch]: documents.fetch,
      // The signature of the ID token is checked too, not only the line that it came by. Plain http is up to the guard.
      execute: issuer.startsWith('http:')
        ? [enableNonRepudiationChecks, allowInsecureRequests]
        : [enableNonRepudiationChecks],
    })
    configuration[client.customFetch] = fetch
    return configuration
  } catch (error) {
    documents.forget()
    throw await refusalOf(error)
  }
}

function openSecret(
  { name, sealedSecret }: Pick<Provider, 'name' | 'sealedSecret'>,
  key: Uint8Array,
): string {
  if (sealedSecret === '') return ''
  const secret = openSealedText(key, sealedSecret, secretOwner(name))
  // As after a restore at an installation with another request secret.
  if (secret === undefined) throw providerMistaken('The client secret cannot be opened: enter it again.')
  return secret
}

/** By the body where the provider takes it, else by the header: some take one of them alone. */
async function clientAuthOf(secret: string): Promise<ClientAuth> {
  const { None, ClientSecretPost, ClientSecretBasic } = await openidClient()
  if (secret === '') return None()
  const [byPost, byBasic] = [ClientSecretPost(secret), ClientSecretBasic(secret)]
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? []
    const auth = methods.includes('client_secret_post') ? byPost : byBasic
    return auth(server, client, body, headers)
  }
}

/** The answer of a provider; every failure of it becomes a refusal. */
export async function asProvider<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw await refusalOf(error)
  }
}

async function refusalOf(error: unknown): Promise<Refusal> {
  if (error instanceof Refusal) return error
  return (await isOutage(error)) ? providerUnavailable(error) : providerMistaken(error)
}

/** Out of reach, too slow, or failing by its own fault. */
async function isOutage(error: unknown): Promise<boolean> {
  const { ClientError, ResponseBodyError } = await openidClient()
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof FetchFailed) return true
    if (at instanceof ResponseBodyError) return at.status >= 500
    if (at instanceof ClientError && at.code === 'OAUTH_TIMEOUT') return true
    if (at.cause instanceof Response) return at.cause.status >= 500
  }
  return false
}

/** What the discovery document of a provider says. */
export interface ProviderCheck {
  issuer: string
  authorizationEndpoint: string
  /** Scopes of ours that it does not know; empty if it names none. */
  unknownScopes: readonly string[]
  /** Whether it says that it checks PKCE; some do without saying so. */
  hasPkce: boolean
}

/** Reads the discovery document anew. Refuses if there is none, or one of another issuer. */
export async function checkProvider(
  site: Site,
  name: string,
  access: ProviderAccess,
): Promise<ProviderCheck> {
  const provider = await readProvider(site, name)
  const metadata = (await openProvider(provider, access, { isFresh: true })).serverMetadata()
  const { scopes_supported: known = [] } = metadata
  return {
    issuer: metadata.issuer,
    authorizationEndpoint: metadata.authorization_endpoint ?? '',
    unknownScopes:
      known.length === 0 ? [] : provider.scopes.split(' ').filter((each) => !known.includes(each)),
    hasPkce: metadata.supportsPKCE(),
  }
}

const keptMs = 600_000
// Documents of providers have some kilobytes; 500 of the longest that are kept take 16 MB.
const [mostDocuments, longestKept] = [500, 32_768]

interface Read {
  answer: Promise<{ text: string; status: number; type: string }>
  at: number
}

interface DiscoveryScope {
  /** The site and its allow list: another site's document, or one that was read under other rules, is never taken. */
  scope: string
  now: Date
  /** Reads the document even if there is a recent one. */
  isFresh?: boolean
}

interface CachedFetch {
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

/** Loaded with its first use: most processes never need it. */
export const openidClient = () => import('openid-client')

// A call lasts up to 10 seconds. Eight tenants whose providers are silent must be asked at once before another one waits.
const bounds = { inAll: 64, perTenant: 8, waiting: 256, waitMs: 5_000 }

/**
 * Limits concurrent calls to providers, of each tenant and of the server. They are not the slots of name look-ups: those are
 * short, and a provider that never answers would take them from uploads by URL.
 */
export const openProviderSlots = (processes: Processes): TenantSlots =>
  shareTenantSlots(processes, 'provider-call', new FairSlots({ ...bounds, busy: providersBusy }))

const providersBusy = () =>
  new Refusal(
    'unavailable',
    'providers-busy',
    'Too many requests to login providers are under way. Try again in a moment.',
  )
