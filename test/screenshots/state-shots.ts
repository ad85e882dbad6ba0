import type { Page } from 'playwright-core'
import { createSession, editAbout, setProfilePicture, userOfName } from '../../src/accounts/index.ts'
import { noLimits } from '../../src/accounts/keys/key-rules.ts'
import type { Control } from '../../src/control/index.ts'
import { createAlbum } from '../../src/media/index.ts'
import { type ChangingSite, changingSite } from '../../src/site/index.ts'
import { createTenant, installTenant, openSite, readTenant } from '../../src/tenants/index.ts'
import { browserHeaders } from '../support/delivered.ts'
import { draw } from './draw.ts'
import type { Upload } from './look-world.ts'
import type { Shot } from './shots.ts'
import { member, select, waitForSelection } from './steps.ts'

/** A demo site where nothing was uploaded yet. */
const freshHostname = 'fresh.test'
const closedHostname = 'closed.test'

const longName = 'Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen'

/** Files with unusual texts and shapes, and the profile of their owner. */
export async function seedStates(site: ChangingSite, upload: Upload) {
  const { id: userId } = await userOfName(site, 'ada')
  const caller = { kind: 'user', userId, role: 'admin', scope: 'admin', limits: noLimits } as const
  const bytes = await draw({ name: 'ada', width: 256, height: 256, colour: '#b97a8f' })
  await setProfilePicture(site, caller, { bytes, mime: 'image/jpeg' })
  await editAbout(site, caller, 'Photographs harbours at dusk.\nPrints: https://ada.example/prints')
  const album = await createAlbum(site, {
    username: 'ada',
    title: 'صور من المرفأ القديم',
    privacy: 'link',
  })
  const file = async (name: string, [width, height]: [number, number], fields: Record<string, string>) =>
    new URL(
      ((await upload({ name, width, height, colour: '#7d9cc0' }, fields)) as { url_viewer: string })
        .url_viewer,
    ).pathname
  return {
    album: `/album/${album.id}`,
    rtl: await file('rtl', [1_200, 800], {
      title: 'المرفأ القديم عند الغروب',
      description: 'من الرصيف القديم، بعد ربع ساعة من غروب الشمس.',
      tags: 'غروب, مرفأ',
      album_id: album.id,
    }),
    long: await file('long', [1_200, 800], { title: `${longName} am Hafen`, tags: longName.slice(0, 30) }),
    tall: await file('tall', [300, 6_000], { title: 'Screenshot of a long page' }),
    small: await file('small', [48, 48], { title: 'Icon' }),
    changed: await file('changed', [900, 600], { title: 'Slipway at noon', description: 'Low water.' }),
  }
}

/** A new site and a closed one. */
export async function seedSites(control: Control) {
  await createTenant(control, { id: 'closed', hostname: closedHostname, isEnabled: false })
  await createTenant(control, { id: 'fresh', hostname: freshHostname, isEnabled: true })
  const account = { username: 'ada', email: 'ada@example.com', password: 'a long password' }
  const settings = { show_demo_notice: '1', listing: 'public', enable_guest_page_uploads: '1' }
  await installTenant(control, 'fresh', account, settings)
  return { fresh: await cookieOf(control, 'fresh', 'ada'), user: await cookieOf(control, 'harbour', 'berta') }
}

export async function cookieOf(control: Control, tenantId: string, username: string) {
  await using site = await openSite(control, await readTenant(control, tenantId))
  const { token } = await createSession(changingSite(site), {
    userId: (await userOfName(site, username)).id,
    userAgent: browserHeaders['user-agent'],
    address: '192.0.2.44',
    isLasting: true,
    steps: { method: 'password', factor: null },
  })
  return { name: 'terrace-session', value: token }
}

type Paths = Awaited<ReturnType<typeof seedStates>>
type Sessions = Awaited<ReturnType<typeof seedSites>>

const openDialog = (action: string) => async (tab: Page) => {
  await select(tab, [1, 2])
  await tab.locator(`.select-bar [value=${action}]`).click()
  await tab.getByRole('dialog').waitFor()
}

/** States that are easily forgotten: nothing there yet, texts and pictures of unusual shape, refusals, what lies over a page. */
export const stateShots = (paths: Paths, { fresh, user }: Sessions): readonly Shot[] => [
  { name: 'viewer-rtl', path: paths.rtl },
  { name: 'viewer-long', path: paths.long },
  { name: 'viewer-tall', path: paths.tall },
  { name: 'viewer-small', path: paths.small },
  { name: 'album-rtl', path: paths.album },
  {
    name: 'viewer-changed',
    path: `${paths.changed}/edit`,
    ...member,
    hasRefusal: true,
    prepare: changeTwice,
  },
  { name: 'person-albums', path: '/ada/albums' },
  {
    name: 'mine-over-dialog',
    path: '/mine',
    ...member,
    async prepare(tab) {
      await waitForSelection(tab)
      await tab.locator('.tile a').nth(1).click()
      await tab.locator('.lightbox h1').waitFor()
    },
  },
  { name: 'mine-move-dialog', path: '/mine', ...member, prepare: openDialog('move') },
  { name: 'mine-tags-dialog', path: '/mine', ...member, prepare: openDialog('tags') },
  {
    name: 'explore-hover-menu',
    path: '/explore',
    async prepare(tab) {
      await tab.locator('.tiles.placed').waitFor()
      await tab.locator('.tile').nth(1).hover()
    },
  },
  { name: 'mine-keys', path: '/mine', ...member, prepare: (tab) => tab.keyboard.press('?') },
  {
    name: 'search-suggestions-menu',
    path: '/search',
    async prepare(tab) {
      await tab.locator('main input[type=search]').pressSequentially('ha')
      await tab.getByRole('listbox').waitFor()
    },
  },
  { name: 'search-nothing', path: '/search?q=submarine' },
  { name: 'forbidden', path: '/dashboard', cookie: user },
  { name: 'closed', path: '/', host: closedHostname },
  { name: 'offline', path: '/-/offline' },
  { name: 'tag-unknown', path: '/tag/unknown' },
  { name: 'fresh-home', path: '/', host: freshHostname },
  { name: 'fresh-explore', path: '/explore', host: freshHostname },
  ...[
    ['mine', '/mine'],
    ['trash', '/mine/trash'],
    ['shares', '/mine/shares'],
    ['albums', '/albums'],
    ['tags', '/tags'],
    ['categories', '/categories'],
    ['person', '/ada'],
    ['dashboard', '/dashboard'],
    ['dashboard-queue', '/dashboard/queue'],
    ['dashboard-pages', '/dashboard/pages'],
    ['dashboard-reports', '/dashboard/reports'],
    ['dashboard-providers', '/dashboard/providers'],
    ['settings-keys', '/settings/keys'],
  ].map(([name = '', path = '']) => ({ name: `fresh-${name}`, path, host: freshHostname, cookie: fresh })),
]

let change = 0

/** Another tab saves first. */
async function changeTwice(tab: Page): Promise<void> {
  const other = await tab.context().newPage()
  await other.goto(tab.url())
  change += 1
  await tab.locator('[name=title]').fill('Slipway in the morning')
  await other.locator('[name=title]').fill(`Slipway at high water ${change}`)
  await other.locator('[name=title]').press('Enter')
  await other.waitForURL((url) => !url.pathname.endsWith('/edit'))
  await other.close()
  await tab.locator('[name=title]').press('Enter')
  await tab.locator('.conflict').first().waitFor()
}
