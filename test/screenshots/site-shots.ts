import type { UserCaller } from '../../src/accounts/index.ts'
import { createPage, type PresetOptions, putPreset } from '../../src/media/index.ts'
import type { ChangingSite } from '../../src/site/index.ts'
import type { Shot } from './shots.ts'
import { member } from './steps.ts'

const terms = `What holds for everyone who uploads to *Harbour*.

## What may be uploaded

- Pictures and videos that are **yours to share**
- nothing that harms others, see [how to report a file](/page/terms)

| Kind | At most | Kept |
|---|--:|---|
| Picture | 100 MB | until you delete it |
| Video | 100 MB | until you delete it |

> Ask before you upload a picture of a person.

Written as \`Markdown\`, with links such as https://example.com.`

const presets: readonly [name: string, options: PresetOptions][] = [
  ['card', { width: 400, height: 300, fit: 'cover', format: 'auto', quality: 70 }],
  ['poster', { width: 300, height: 420, fit: 'pad', background: '14323c', format: 'jpeg' }],
  ['strip', { width: 1200, height: 200, fit: 'cover', position: 'top' }],
  ['the-longest-name-of-a-preset-1234', { width: 64 }],
].map(([name, options]) => [String(name).slice(0, 32), options as PresetOptions])

/** A visible page and a hidden one, and presets of pictures. */
export async function seedPages(site: ChangingSite, userId: string): Promise<void> {
  const limits = { expiresAt: undefined, allowedOrigins: [], allowedAddresses: [] }
  const caller: UserCaller = { kind: 'user', userId, role: 'admin', scope: 'admin', limits }
  await createPage(site, caller, { urlKey: 'terms', title: 'Terms of use', body: terms, isVisible: true })
  for (const [name, options] of presets)
    await putPreset(site, caller, { name, options, checkVersion: () => undefined })
  await createPage(site, caller, { urlKey: 'contact', title: 'Contact', body: 'Soon.', isVisible: false })
}

/** Pages to read, and the dashboard's parts about the site itself. */
export const siteShots: readonly Shot[] = [
  { name: 'page', path: '/page/terms' },
  { name: 'api-v1', path: '/api-v1' },
  { name: 'dashboard-pages', path: '/dashboard/pages', ...member },
  {
    name: 'dashboard-pages-preview',
    path: '/dashboard/pages/new?from=privacy',
    ...member,
    async prepare(tab) {
      await tab.getByRole('button', { name: 'Preview' }).click()
      await tab.getByRole('heading', { name: 'Preview' }).waitFor()
    },
  },
  {
    name: 'dashboard-branding',
    path: '/dashboard/branding',
    ...member,
    async prepare(tab) {
      await tab.getByLabel('Site name').fill('Harbour')
      await tab.getByLabel('Accent').fill('#8a2be2')
      await tab.getByRole('button', { name: 'Preview' }).click()
      await tab.getByRole('link', { name: 'Harbour', exact: true }).waitFor()
    },
  },
  { name: 'dashboard-settings', path: '/dashboard/settings/listing', ...member },
  { name: 'dashboard-settings-users', path: '/dashboard/settings/users', ...member },
  { name: 'dashboard-presets', path: '/dashboard/settings/transforms', ...member },
  { name: 'dashboard-preset-edit', path: '/dashboard/settings/transforms/preset/card', ...member },
  { name: 'dashboard-preset-delete', path: '/dashboard/settings/transforms/preset/card/delete', ...member },
  { name: 'dashboard-preset-new', path: '/dashboard/settings/transforms/new', ...member },
  {
    name: 'dashboard-settings-refused',
    path: '/dashboard/settings/uploads',
    ...member,
    hasRefusal: true,
    async prepare(tab) {
      // The password is asked for until the session is proven.
      const password = tab.locator('input[name=current]')
      if (await password.isVisible()) await password.fill('a long password')
      await tab.getByLabel('File size limit for users').fill('a lot')
      await tab.keyboard.press('Enter')
      await tab.getByRole('alert').waitFor()
    },
  },
]
