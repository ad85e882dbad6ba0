import type { ClientAuth, Configuration } from 'openid-client'
import { FetchFailed, type GuardedFetch } from '../../../lib/net/guarded-fetch.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { openSealedText } from '../../../lib/sealed-text.ts'
import type { CachedFetch } from './discovery-cache.ts'
import { openidClient } from './openid-client.ts'
import { providerMistaken, providerUnavailable } from './provider-errors.ts'
import { secretOwner } from './providers.ts'
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
