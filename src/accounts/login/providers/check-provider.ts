import type { Site } from '../../../site/index.ts'
import { openProvider, type ProviderAccess } from './provider-client.ts'
import { readProvider } from './providers.ts'

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
