import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { ada, type BrowserSite, faultsOf, startBrowserSite } from '../support/browsers/browser-site.ts'
import { markupStrings } from '../support/fixtures/markup-strings.ts'
import { needing } from '../support/needs.ts'
import { set, uploaded, userWithKey } from '../support/uploads.ts'

const browsing = await needing('chromium')
browsing.describe('the dashboard in a browser', () => {
  let site: BrowserSite
  let key: string
  beforeAll(async () => {
    site = await startBrowserSite()
    await set(site.app, site.tenant, { moderation: 'all' })
    key = (await userWithKey(site.app, site.tenant, 'ulla', 'user')).key
  })
  afterAll(async () => site?.[Symbol.asyncDispose]())

  test('by mouse a file is approved and taken back, and a user is banned', async () => {
    await uploaded(site.app, site.tenant, { key, fields: { title: 'By mouse' } })
    const tab = await site.open({ as: ada })
    const faults = faultsOf(tab)
    await tab.goto(site.at('/'))
    await tab.getByRole('button', { name: 'Account of ada' }).click()
    await tab.getByRole('link', { name: 'Dashboard' }).click()
    await tab.getByRole('link', { name: /waiting for approval/ }).click()
    await tab.getByRole('button', { name: 'Approve: By mouse' }).click()
    await tab.getByText('1 file approved.').waitFor()
    await tab.getByRole('button', { name: 'Undo' }).click()
    await tab.getByText('Undone for 1 file.').waitFor()
    await tab.getByRole('button', { name: 'Approve: By mouse' }).waitFor()

    await tab.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: 'Users' }).click()
    await tab.getByRole('link', { name: 'ulla' }).click()
    await tab.getByRole('button', { name: 'Ban' }).click()
    await tab.getByText('Saved.').waitFor()
    await tab.getByRole('button', { name: 'Lift the ban' }).click()
    await tab.getByRole('button', { name: 'Ban' }).waitFor()
    assert.deepEqual(faults, [])
  })

  test('by keyboard alone the first file is rejected, and the list of keys shows how', async () => {
    await uploaded(site.app, site.tenant, { key, fields: { title: 'By keys' } })
    const tab = await site.open({ as: ada })
    await tab.goto(site.at('/dashboard/queue'))
    await tab.keyboard.press('?')
    await tab.getByRole('dialog').getByText('Reject the first file').waitFor()
    await tab.keyboard.press('Escape')
    await tab.keyboard.press('r')
    await tab.getByText('1 file rejected.').waitFor()
  })

  test('without script markup in names runs nowhere and comes back exactly', async () => {
    const tab = await site.open({ as: ada, javaScriptEnabled: false })
    const fitting = markupStrings.filter((name) => [...name].length <= 32 && name.trim() === name)
    const names = fitting.filter((_, index) => index % Math.ceil(fitting.length / 3) === 0)
    await tab.goto(site.at('/dashboard/categories'))
    for (const name of names) {
      await tab.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
      await tab.getByRole('button', { name: 'New category' }).click()
      await tab.getByText('Saved.').waitFor()
    }
    const shown = await tab.getByRole('rowheader').allTextContents()
    for (const name of names) assert.ok(shown.includes(name), name)
    await tab.getByText('Rename', { exact: true }).first().click()
    await tab.getByLabel('New name').first().fill('Plain')
    await tab.getByRole('button', { name: 'Rename' }).first().click()
    await tab.getByRole('link', { name: 'Plain' }).waitFor()
  })
})
