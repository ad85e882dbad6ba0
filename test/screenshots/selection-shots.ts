import type { Page } from 'playwright-core'
import type { Shot } from './shots.ts'
import { member, select, sendLogIn, waitForSelection } from './steps.ts'

const openShares = async (tab: Page) => {
  await tab.locator('a[data-share][aria-haspopup=dialog]').first().click()
  await tab.getByRole('dialog').getByRole('button', { name: 'Copy link' }).first().waitFor()
}

const shareSelected = async (tab: Page) => {
  await select(tab, [3, 1, 2])
  await tab.getByRole('group').getByRole('button', { name: 'Share' }).click()
  await tab.getByRole('dialog').getByRole('button', { name: 'Copy link' }).first().waitFor()
}

const makeShare = async (tab: Page): Promise<string> => {
  await shareSelected(tab)
  await tab.getByRole('dialog').getByRole('button', { name: 'Copy link' }).first().click()
  // Links that were made before are in the dialog too.
  return tab.locator('#new-link').inputValue()
}

/** The trash, the dialog of shares, and the second step of a log-in. */
export const orderMoreShots = (paths: { file: string; album: string }): readonly Shot[] => [
  {
    name: 'trash-selected',
    path: '/mine/trash',
    ...member,
    prepare: (tab) => select(tab, [0, 2]),
  },
  {
    name: 'trash-over-dialog',
    path: '/mine/trash',
    ...member,
    async prepare(tab) {
      await waitForSelection(tab)
      await tab.locator('.tile a').nth(1).click()
      await tab.getByRole('dialog').getByRole('heading', { level: 1 }).waitFor()
    },
  },
  { name: 'viewer-share-dialog', path: paths.file, ...member, prepare: openShares },
  { name: 'album-share-dialog', path: paths.album, ...member, prepare: openShares },
  { name: 'mine-share-dialog', path: '/mine', ...member, prepare: shareSelected },
  {
    name: 'mine-share-made',
    path: '/mine',
    ...member,
    async prepare(tab) {
      await makeShare(tab)
    },
  },
  {
    name: 'share-of-files',
    path: '/mine',
    ...member,
    async prepare(tab) {
      const { pathname } = new URL(await makeShare(tab))
      await tab.goto(new URL(pathname, tab.url()).href)
      await tab.locator('.tile').nth(2).waitFor()
    },
  },
  {
    name: 'login-code',
    path: '/login',
    async prepare(tab) {
      await sendLogIn(tab, 'berta', 'a long password')
      await tab.waitForURL('**/login/code')
    },
  },
]
