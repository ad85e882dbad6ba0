import type { Page } from 'playwright-core'
import { sealAccount } from '../../src/accounts/index.ts'
import type { ChangingSite } from '../../src/site/index.ts'
import type { Shot } from './shots.ts'
import { member } from './steps.ts'

const at = '2026-11-10T12:00:00.000Z'

const providers = [
  {
    name: 'harbour',
    title: 'Harbour Works',
    issuer: 'https://login.harbour.example/realms/staff',
    isEnabled: 1,
    sealedSecret: 'kept',
  },
  {
    name: 'club',
    title: 'نادي الإبحار',
    issuer: 'https://auth.club.example/application/o/pictures/',
    isEnabled: 1,
    sealedSecret: 'kept',
  },
  { name: 'old', title: 'Old login', issuer: 'https://old.example', isEnabled: 0, sealedSecret: '' },
]

/** Providers, one of which ada has connected, and accounts that came back from one. */
export async function seedProviders(
  site: ChangingSite,
  { userId, key }: { userId: string; key: Uint8Array },
) {
  for (const [sortOrder, provider] of providers.entries())
    await site.db
      .insertInto('loginProvider')
      .values({
        ...provider,
        clientId: 'terrace',
        scopes: 'openid email profile',
        sortOrder,
        isSignUpOpen: 1,
        newUserRole: 'user',
        version: 1,
        createdAt: at,
        updatedAt: at,
      })
      .execute()
  const identity = { id: 'connected', providerName: 'harbour', subject: 'ada', label: 'ada@harbour.example' }
  await site.db
    .insertInto('identity')
    .values({ ...identity, userId, createdAt: at, lastUsedAt: at })
    .execute()
  const account = (email: string) =>
    sealAccount(site, key, {
      provider: 'club',
      subject: email,
      email,
      label: email,
      suggestedName: 'newcomer',
      to: '/',
      loggedInAt: 0,
    })
  return { newcomer: account('newcomer@club.example'), known: account('ada@example.com') }
}

export const providerShots = (accounts: Awaited<ReturnType<typeof seedProviders>>): readonly Shot[] => [
  { name: 'dashboard-providers', path: '/dashboard/providers', ...member },
  { name: 'dashboard-provider-new', path: '/dashboard/providers/new', ...member },
  { name: 'dashboard-provider-edit', path: '/dashboard/providers/harbour', ...member },
  { name: 'dashboard-provider-delete', path: '/dashboard/providers/harbour/delete', ...member },
  {
    name: 'dashboard-provider-check',
    path: '/dashboard/providers/old',
    ...member,
    async prepare(tab) {
      await tab.getByRole('button', { name: 'Test the connection' }).click()
      await tab.getByText('We couldn’t reach the provider').waitFor()
    },
  },
  { name: 'connect-signup', path: '/login', prepare: (tab) => showAccount(tab, accounts.newcomer) },
  { name: 'connect-known', path: '/login', prepare: (tab) => showAccount(tab, accounts.known) },
  {
    name: 'connect-confirm',
    path: '/settings',
    prepare: (tab) => showAccount(tab, accounts.newcomer),
    ...member,
  },
  { name: 'connect-ended', path: '/connect/harbour/back?state=x', hasRefusal: true },
]

async function showAccount(tab: Page, value: string): Promise<void> {
  const { hostname: domain, origin } = new URL(tab.url())
  await tab.context().addCookies([{ name: 'terrace-account', value, domain, path: '/' }])
  await tab.goto(`${origin}/connect/club/account`)
}
