import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { test } from 'vitest'
import { ada, type BrowserSite, startBrowserSite } from '../support/browsers/browser-site.ts'
import { ask5, keyOf } from '../support/media.ts'
import { needing } from '../support/needs.ts'
import { visitAs } from '../support/pages.ts'
import { uploaded } from '../support/uploads.ts'

const browsing = await needing('chromium')

const both = (tab: Page, field: string) => tab.getByRole('group', { name: field, exact: true })
const save = (tab: Page) => tab.getByRole('button', { name: 'Save', exact: true }).click()

async function changeFile({ app, tenant }: BrowserSite, id: string, body: object): Promise<void> {
  const { status } = await ask5(app, tenant, `PATCH files/${id}`, {
    key: await keyOf(app, tenant, 'write'),
    body,
  })
  assert.equal(status, 200)
}

browsing.describe('a change by another person meanwhile', () => {
  test.for([true, false])(
    'to a file is chosen field by field, with script: %s',
    async (javaScriptEnabled) => {
      await using site = await startBrowserSite()
      const { app, tenant } = site
      const image = await uploaded(app, tenant, { fields: { title: 'First', description: 'One' } })
      const id = image.id_encoded as string
      const tab = await site.open({ as: ada, javaScriptEnabled })
      await tab.goto(image.url_viewer)
      await tab.locator('summary', { hasText: 'Edit' }).click()
      await tab.getByLabel('Title').fill('Mine')
      await tab.getByLabel('Description').fill('My text')
      await changeFile(site, id, { title: 'Theirs', description: 'Their text', is_nsfw: true })
      await save(tab)
      await tab.getByText('This file was changed while you were editing it').waitFor()
      for (const text of ['Mine', 'Theirs'])
        await both(tab, 'Title').getByText(text, { exact: true }).waitFor()
      await both(tab, 'Description').getByText('Their text').waitFor()

      // Neither Save nor the Enter key overwrites what was not chosen.
      await save(tab)
      await tab.getByText('Choose “Keep mine” or “Use theirs” for each field').waitFor()
      await tab.getByLabel('Title', { exact: true }).press('Enter')
      await both(tab, 'Title').waitFor()
      const now = await ask5(app, tenant, `GET files/${id}`, { key: await keyOf(app, tenant, 'read') })
      assert.deepEqual([now.json.title, now.json.description], ['Theirs', 'Their text'])

      await both(tab, 'Title').getByRole('button', { name: 'Keep mine' }).click()
      await both(tab, 'Title').waitFor({ state: 'detached' })
      await both(tab, 'Description').getByRole('button', { name: 'Use theirs' }).click()
      await both(tab, 'Description').waitFor({ state: 'detached' })
      await both(tab, 'Sensitive content').getByRole('button', { name: 'Use theirs' }).click()
      await both(tab, 'Sensitive content').waitFor({ state: 'detached' })
      assert.equal(await tab.getByLabel('Title').inputValue(), 'Mine')
      assert.equal(await tab.getByLabel('Description').inputValue(), 'Their text')
      await save(tab)
      await tab.getByRole('heading', { name: 'Mine', level: 1 }).waitFor()
      const saved = await ask5(app, tenant, `GET files/${id}`, { key: await keyOf(app, tenant, 'read') })
      const { title, description, is_nsfw: isNsfw } = saved.json
      assert.deepEqual([title, description, isNsfw], ['Mine', 'Their text', true])
    },
  )

  test('to an album, a page, a role, a provider, settings and the brand is chosen too', {
    timeout: 180_000,
  }, async () => {
    await using site = await startBrowserSite()
    const { app, tenant } = site
    const key = await keyOf(app, tenant, 'admin')
    const made = async (path: string, body: object) =>
      (await ask5(app, tenant, `POST ${path}`, { key, body })).json.id
    const album = await made('albums', { title: 'Sea', privacy: 'link' })
    const page = await made('pages', { url_key: 'imprint', title: 'Imprint', body: 'Text' })
    const user = await made('users', {
      username: 'bobby',
      email: 'bob@example.com',
      password: 'a long password',
    })
    const provider = {
      name: 'office',
      title: 'Work',
      issuer: 'https://login.example.com',
      client_id: 'terrace',
    }
    const visitor = await visitAs(app, tenant)
    await visitor.send('/dashboard/providers/new', { ...provider, scopes: 'openid', new_user_role: 'user' })
    const tab = await site.open({ as: ada })
    const other = await tab.context().newPage()
    const saveOn = (each: Page) => each.getByRole('button', { name: 'Save', exact: true }).first().click()
    for (const [path, label, mine, theirs] of [
      [`/album/${album}/edit`, 'Title', 'Mine', 'Theirs'],
      [`/dashboard/pages/${page}`, 'Title', 'Mine', 'Theirs'],
      ['/dashboard/branding', 'Site name', 'Mine', 'Theirs'],
      ['/dashboard/settings/general', 'Time zone', 'Europe/Berlin', 'Europe/Madrid'],
      [`/dashboard/users/${user}`, 'Role', 'Manager', 'Administrator'],
      ['/dashboard/providers/office', 'Title', 'Mine', 'Theirs'],
      ['/dashboard/providers/office', 'Issuer', 'https://mine.example.com', 'https://theirs.example.com'],
    ] as const) {
      for (const each of [tab, other]) await each.goto(site.at(path))
      const change = (each: Page, text: string) =>
        label === 'Role'
          ? each.getByLabel(label).selectOption({ label: text })
          : each.getByLabel(label, { exact: true }).fill(text)
      await change(tab, mine)
      await change(other, theirs)
      const isSaved = other.waitForEvent('domcontentloaded')
      await saveOn(other)
      await isSaved
      await saveOn(tab)
      const group = both(tab, label)
      for (const text of [mine, theirs]) await group.getByText(text, { exact: true }).waitFor()
      await saveOn(tab)
      await tab.getByText('Choose “Keep mine” or “Use theirs” for each field').waitFor()
      await group.getByRole('button', { name: 'Use theirs' }).click()
      await group.waitFor({ state: 'detached' })
      const isLeft = tab.waitForEvent('domcontentloaded')
      await saveOn(tab)
      await isLeft
      await tab.goto(site.at(path))
      const shown = await tab.getByLabel(label, { exact: true }).inputValue()
      assert.equal(shown, label === 'Role' ? 'admin' : theirs, path)
    }
  })
})
