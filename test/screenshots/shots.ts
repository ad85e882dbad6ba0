import type { Page } from 'playwright-core'
import { consoleShots } from './console-shots.ts'
import { dashboardShots } from './dashboard-shots.ts'
import { providerShots } from './provider-shots.ts'
import { quotaShots } from './quota-shots.ts'
import { orderMoreShots } from './selection-shots.ts'
import { siteShots } from './site-shots.ts'
import { stateShots } from './state-shots.ts'
import { member, select, sendLogIn } from './steps.ts'
import { uploadShots } from './upload-shots.ts'
import { hostname, membersHostname, type startWorld } from './world.ts'

type World = Awaited<ReturnType<typeof startWorld>>

export interface Shot {
  name: string
  path: string
  host?: string
  language?: string
  /** Looked at by ada, who is logged in. */
  isMember?: boolean
  /** The session of another user, or at another host. */
  cookie?: { name: string; value: string }
  /** A request of the page is refused with 400, which the page shows. */
  hasRefusal?: boolean
  /** Before the picture is taken. */
  prepare?: (tab: Page) => Promise<unknown>
}

const pathOf = (url: string) => new URL(url).pathname

/** Every page, then the states that matter. */
export const shotsOf = (world: World): Shot[] => Object.values(shotGroups(world)).flat()

export type ShotGroup = keyof ReturnType<typeof shotGroups>

/** Groups of about equal length: each is looked at by a test file of its own. */
export const shotGroups = ({
  files,
  shares,
  album,
  accounts,
  mailed,
  states,
  sessions,
  quotas,
  operators,
}: World) => ({
  files: [...fileShots(files, shares), ...statesOf(files)],
  lists: [
    ...lookShots(files, album),
    ...orderShots(files, album),
    ...orderMoreShots({ file: pathOf(files.wide.url_viewer), album: `/album/${album.id}` }),
  ],
  account: [...accountShots, ...mailShots(mailed), ...uploadShots],
  dashboard: dashboardShots,
  site: [...siteShots, ...providerShots(accounts)],
  states: [...stateShots(states, sessions), ...quotaShots(quotas)],
  console: consoleShots(operators),
})

const openFirst = async (tab: Page) => {
  await tab.locator('.tile a').first().click()
  await tab.locator('.lightbox h1').waitFor()
}

const fileShots = (files: World['files'], shares: World['shares']): Shot[] => [
  { name: 'home', path: '/' },
  { name: 'viewer', path: pathOf(files.wide.url_viewer) },
  { name: 'report', path: `${pathOf(files.wide.url_viewer)}/report` },
  { name: 'report-sent', path: `${pathOf(files.wide.url_viewer)}/report?sent=1` },
  { name: 'viewer-nsfw', path: pathOf(files.nsfw.url_viewer) },
  { name: 'password', path: pathOf(files.locked.url_viewer) },
  { name: 'delete', path: pathOf(files.wide.delete_url) },
  { name: 'share', path: pathOf(shares.open) },
  { name: 'share-gallery', path: pathOf(shares.gallery) },
  { name: 'share-file', path: `${pathOf(shares.open)}/${files.locked.url_viewer.split('.').at(-1)}` },
  { name: 'share-over', path: pathOf(shares.gallery), prepare: openFirst },
  { name: 'share-ended', path: pathOf(shares.ended) },
  { name: 'share-password', path: pathOf(shares.locked) },
  { name: 'share-letter-box', path: pathOf(shares.letterBox) },
  { name: 'not-found', path: '/none' },
  { name: 'no-site', path: '/', host: 'nobody.test' },
  { name: 'docs', path: '/_/docs' },
  { name: 'parts', path: '/_/parts' },
]

const mailShots = ({ address, signUp }: World['mailed']): Shot[] => [
  { name: 'confirm-signup', path: `/signup/confirm/${signUp}`, host: membersHostname },
  { name: 'confirm-address', path: `/email/confirm/${address}`, host: membersHostname },
  ...['en', 'de', 'es'].map((language) => ({
    name: `pending-address-${language}`,
    path: '/login?to=/settings',
    host: membersHostname,
    language,
    async prepare(tab: Page) {
      await tab.locator('input[name=login]').fill('ada')
      await tab.locator('input[name=password]').fill('a long password')
      await tab.locator('form[action="/login"] button').first().click()
      await tab.getByText('ada@harbour.example').waitFor()
    },
  })),
]

const accountShots: readonly Shot[] = [
  { name: 'login', path: '/login' },
  {
    name: 'login-wrong',
    path: '/login?to=/settings',
    async prepare(tab) {
      await sendLogIn(tab, 'ada', 'wrong')
      await tab.getByRole('alert').waitFor()
    },
  },
  { name: 'signup', path: '/signup' },
  { name: 'reset', path: '/password' },
  { name: 'prove', path: '/prove', ...member },
  { name: 'settings', path: '/settings', ...member },
  { name: 'settings-uploads', path: '/settings/uploads', ...member },
  {
    name: 'settings-uploads-cancel',
    path: '/settings/uploads',
    ...member,
    prepare: (tab) => tab.getByText('Cancel upload', { exact: true }).first().click(),
  },
  { name: 'settings-security', path: '/settings/security', ...member },
  {
    // Behind a proof, which a new session has.
    name: 'settings-security-totp',
    path: '/login?to=/settings/security/totp',
    async prepare(tab) {
      await sendLogIn(tab, 'ada', 'a long password')
      await tab.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor()
    },
  },
  { name: 'settings-export', path: '/settings/export', ...member },
  { name: 'settings-security-german', path: '/settings/security', language: 'de', ...member },
  { name: 'settings-keys', path: '/settings/keys', ...member },
  {
    name: 'settings-keys-revoke',
    path: '/settings/keys',
    ...member,
    prepare: (tab) => tab.getByText('Revoke', { exact: true }).first().click(),
  },
  {
    name: 'prove-in-place',
    path: '/settings/keys',
    ...member,
    hasRefusal: true,
    async prepare(tab) {
      await tab.getByLabel('Name').first().fill('Script')
      await tab.locator('select[name=scope]').selectOption('write')
      await tab.locator('form[action="/settings/keys"] button[type=submit]').click()
      await tab.getByRole('button', { name: 'Go on' }).waitFor()
    },
  },
  { name: 'settings-apps', path: '/settings/apps', ...member },
  {
    name: 'settings-app',
    path: '/settings/apps',
    ...member,
    async prepare(tab) {
      await tab.getByRole('button', { name: 'iOS Shortcuts' }).click()
      await tab.getByRole('img', { name: 'QR' }).waitFor()
    },
  },
  {
    name: 'settings-app-curl',
    path: '/settings/apps',
    ...member,
    async prepare(tab) {
      await tab.getByRole('button', { name: 'curl' }).click()
      await tab.getByRole('textbox', { name: 'PowerShell' }).waitFor()
    },
  },
  {
    name: 'settings-app-flameshot',
    path: '/settings/apps',
    ...member,
    async prepare(tab) {
      await tab.getByRole('button', { name: 'Flameshot' }).click()
      await tab.getByRole('textbox', { name: 'Command' }).waitFor()
    },
  },
  {
    name: 'account-menu',
    path: '/settings',
    ...member,
    prepare: (tab) => tab.locator('.account-bar [popovertarget]').click(),
  },
]

/** Lists, albums and the pages of their owner. */
const lookShots = (files: World['files'], album: World['album']): Shot[] => [
  { name: 'explore', path: '/explore' },
  { name: 'album', path: `/album/${album.id}` },
  { name: 'search', path: '/search?q=quay+tag%3Aboats+type%3Aimage' },
  { name: 'albums', path: '/albums', isMember: true },
  { name: 'person', path: '/ada' },
  { name: 'mine', path: '/mine', isMember: true },
  { name: 'album-edit', path: `/album/${album.id}/edit`, isMember: true },
  { name: 'tags', path: '/tags' },
  { name: 'tag', path: '/tag/boats' },
  { name: 'categories', path: '/categories' },
  { name: 'category', path: '/category/seascapes' },
  { name: 'trash', path: '/mine/trash', isMember: true },
  { name: 'album-delete', path: `/album/${album.id}/delete`, isMember: true },
  { name: 'albums-new', path: '/albums/new', isMember: true },
  { name: 'search-empty', path: '/search' },
  { name: 'viewer-own', path: pathOf(files.wide.url_viewer), isMember: true },
]

/** Selected files and shares. */
const orderShots = (files: World['files'], album: World['album']): Shot[] => [
  {
    name: 'mine-selected',
    path: '/mine',
    ...member,
    prepare: (tab) => select(tab, [1, 2, 4]),
  },
  {
    name: 'mine-selected-dialog',
    path: '/mine',
    ...member,
    async prepare(tab) {
      await select(tab, [1])
      await tab.locator('.select-bar [value=edit]').click()
      await tab.getByRole('dialog').waitFor()
    },
  },
  { name: 'mine-shares', path: '/mine/shares', isMember: true },
  { name: 'album-shares', path: `/album/${album.id}/shares`, isMember: true },
  { name: 'album-request', path: `/album/${album.id}/request`, isMember: true },
  {
    name: 'share-dialog',
    path: `/album/${album.id}`,
    isMember: true,
    prepare: async (tab) => {
      await tab.getByRole('link', { name: 'Share', exact: true }).click()
      await tab.getByRole('button', { name: 'Copy link', exact: true }).click()
      await tab.locator('.dialog .qr-code').waitFor()
      await tab.locator('.dialog .options summary').click()
    },
  },
  { name: 'file-shares', path: `${pathOf(files.wide.url_viewer)}/shares`, isMember: true },
]

/** States of pages that are in the list already. */
const statesOf = (files: World['files']): Shot[] => [
  { name: 'viewer-german', path: pathOf(files.wide.url_viewer), language: 'de' },
  {
    name: 'viewer-codes',
    path: pathOf(files.tall.url_viewer),
    prepare: (tab) => tab.locator('.share > summary').click(),
  },
  {
    name: 'viewer-keys',
    path: pathOf(files.tall.url_viewer),
    prepare: (tab) => tab.keyboard.press('?'),
  },
  {
    name: 'viewer-copied',
    path: pathOf(files.tall.url_viewer),
    prepare: (tab) => tab.locator('.copy-bar > button').click(),
  },
  {
    name: 'password-wrong',
    path: pathOf(files.locked.url_viewer),
    async prepare(tab) {
      await tab.locator('#password').fill('wrong')
      await tab.keyboard.press('Enter')
      await tab.getByRole('alert').waitFor()
    },
  },
  {
    name: 'parts-dialog',
    path: '/_/parts',
    prepare: (tab) => tab.getByRole('button', { name: 'Open a dialog' }).click(),
  },
  {
    name: 'parts-menu',
    path: '/_/parts',
    prepare: (tab) => tab.getByRole('button', { name: 'Actions', exact: true }).click(),
  },
]

export const addressOf = ({ path, host = hostname }: Shot, port: number): string =>
  `http://${host}:${port}${path}`

/** The cookies that the browser has, if the shot is of a user who is logged in. */
export const cookiesOf = ({ cookie, isMember, host = hostname }: Shot, ofMember: World['member']) => {
  const own = cookie ?? (isMember ? ofMember : undefined)
  return own ? [{ ...own, domain: host, path: '/' }] : []
}

/** Of a part, a dialog or what sticks to the window only the window is shown, of a page the whole. */
export const isWholePage = ({ name }: Shot): boolean =>
  !/-(dialog|menu|keys|copied|dock|selected)$|^(docs|upload-queue|upload-done)$/.test(name)
