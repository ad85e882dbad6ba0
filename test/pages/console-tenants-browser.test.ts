import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeFindings, watchFaults } from '../support/browsers/browser-checks.ts'
import { type BrowserConsole, startBrowserConsole } from '../support/console.ts'
import { needing } from '../support/needs.ts'

const account = { 'User name': 'ada', 'E-mail': 'ada@example.com', Password: 'a long password' }

const idsOn = (tab: Page) => tab.locator('tbody th a').allTextContents()
const fill = async (tab: Page, fields: Readonly<Record<string, string>>) => {
  for (const [label, text] of Object.entries(fields)) await tab.getByLabel(label, { exact: true }).fill(text)
}

const browsing = await needing('chromium')
browsing.describe('the tenants of the console in a browser', () => {
  let place: BrowserConsole
  beforeAll(async () => {
    place = await startBrowserConsole()
    const { app } = place
    await app.call('POST', 'tenants-plans', { id: 'small' })
    for (const id of ['ants', 'bees', 'deer'])
      await app.call('POST', 'tenants', { id, hostname: `${id}.example.com`, is_enabled: true })
    await app.tenant('cats')
  })
  afterAll(async () => place?.[Symbol.asyncDispose]())
  const read = async (id: string) => (await place.app.call('GET', `tenants/${id}`)).json

  test('the list is filtered as one types, without a reload, and a later answer wins', async () => {
    const tab = await place.open()
    const faults = watchFaults(tab)
    await tab.goto(place.at('tenants'))
    await tab.evaluate('window.isSamePage = true')
    await tab.getByLabel(/^Filter/).pressSequentially('bee', { delay: 20 })
    await expect.poll(() => idsOn(tab)).toEqual(['bees'])
    assert.equal(await tab.locator('#tenant-count').textContent(), '1 tenant')
    assert.match(tab.url(), /tenants\?q=bee$/)
    assert.match((await tab.getByRole('link', { name: 'CSV' }).getAttribute('href')) ?? '', /csv\?q=bee$/)
    await tab.getByLabel(/^Filter/).fill('nothing')
    await tab.getByRole('heading', { name: 'No tenants match' }).waitFor()
    await tab.getByLabel(/^Filter/).fill('')
    await expect.poll(() => idsOn(tab)).toEqual(['ants', 'bees', 'cats', 'deer'])
    assert.equal(await tab.evaluate('window.isSamePage'), true)
    assert.deepEqual(faults, [])
  })

  test('many are chosen and changed by keyboard alone, and the buttons say how many all are', async () => {
    const tab = await place.open()
    await tab.goto(place.at('tenants'))
    const press = async (role: 'button' | 'checkbox', name: string, key: string) => {
      await tab.getByRole(role, { name, exact: true }).focus()
      await tab.keyboard.press(key)
    }
    await press('checkbox', 'Select ants', 'Space')
    await press('checkbox', 'Select deer', 'Space')
    await press('button', 'Disable', 'Enter')
    await tab.getByText('Changed 2 tenants.').waitFor()
    assert.deepEqual([(await read('ants')).is_enabled, (await read('bees')).is_enabled], [false, true])
    await tab.getByRole('link', { name: 'Disabled' }).click()
    await press('checkbox', 'Select all 2', 'Space')
    await tab.getByLabel('Plan', { exact: true }).selectOption('small')
    await tab.getByRole('button', { name: 'Set plan all 2' }).waitFor()
    await press('button', 'Enable all 2', 'Enter')
    await tab.getByText('Changed 2 tenants.').waitFor()
    assert.equal((await read('deer')).is_enabled, true)
    await tab.goto(place.at('tenants'))
    await tab.getByRole('button', { name: 'Enable', exact: true }).click()
    await tab.getByText('Select at least one tenant.').waitFor()
  })

  test('without script a tenant is created, installed, edited by two operators, and deleted', async () => {
    const tab = await place.open({ javaScriptEnabled: false })
    await tab.goto(place.at('tenants'))
    await tab.getByLabel(/^Filter/).fill('BEES')
    await tab.keyboard.press('Enter')
    await tab.waitForURL(/q=BEES/)
    assert.deepEqual(await idsOn(tab), ['bees'])
    await tab.getByRole('link', { name: 'New tenant' }).click()
    await fill(tab, { ID: 'eels', Hostname: 'not a host', ...account })
    await tab.getByRole('button', { name: 'Create the tenant' }).click()
    assert.equal(await tab.getByLabel('Hostname').getAttribute('aria-invalid'), 'true')
    assert.equal(await tab.getByLabel('ID', { exact: true }).inputValue(), 'eels')
    await fill(tab, { Hostname: 'eels.test', Password: account.Password })
    await tab.getByRole('button', { name: 'Create the tenant' }).click()
    assert.equal(await tab.getByRole('heading', { level: 1 }).textContent(), 'eels')
    assert.match(await tab.getByLabel('Upload key').inputValue(), /^trc_/)

    await tab.goto(place.at('tenants/eels'))
    const other = await place.open({ javaScriptEnabled: false })
    await other.goto(place.at('tenants/eels'))
    await fill(other, { Hostname: 'theirs.test' })
    await other.getByRole('button', { name: 'Save' }).click()
    await fill(tab, { Hostname: 'mine.test' })
    await tab.getByRole('button', { name: 'Save' }).click()
    const conflict = tab.getByRole('alert').filter({ hasText: 'theirs.test' })
    assert.match((await conflict.textContent()) ?? '', /grace changed this/)
    assert.equal(await tab.getByLabel('Hostname').inputValue(), 'mine.test')
    await tab.getByRole('button', { name: 'Save' }).click()
    assert.equal((await read('eels')).hostname, 'mine.test')

    const row = tab.getByRole('row', { name: /ada@example.com/ })
    await row.getByRole('button', { name: /^Reset password/ }).click()
    assert.ok((await tab.getByLabel('Password', { exact: true }).inputValue()).length >= 12)
    await tab.getByRole('link', { name: 'Delete' }).click()
    await tab.getByLabel('To delete, type eels').fill('eel')
    await tab.getByText('Delete for good').click()
    await tab.getByRole('button', { name: 'Delete the tenant' }).click()
    await tab.getByLabel('To delete, type eels').fill('eels')
    assert.ok(await tab.getByLabel('Delete for good').isChecked())
    await tab.getByRole('button', { name: 'Delete the tenant' }).click()
    await tab.getByText('Deleted eels.').waitFor()
  })

  test('Ctrl K finds by keyboard: Escape gives the focus back, Enter leads to the first hit', async () => {
    const tab = await place.open()
    await tab.goto(place.at('tenants'))
    const filter = tab.getByLabel(/^Filter/)
    await filter.focus()
    await tab.keyboard.press('Control+k')
    const hits = tab.getByRole('listbox', { name: 'Tenants' }).getByRole('option')
    await expect.poll(() => tab.locator('.find input:focus').count()).toBe(1)
    await tab.keyboard.type('example')
    await expect.poll(() => hits.count()).toBe(3)
    await tab.keyboard.press('Escape')
    assert.equal(await hits.count(), 0)
    assert.equal(await tab.locator('main [name=q]:focus').count(), 1)
    await tab.keyboard.press('Control+k')
    await tab.keyboard.type('ada@example')
    await hits.filter({ hasText: 'cats' }).waitFor()
    await tab.keyboard.press('Enter')
    await tab.waitForURL(place.at('tenants/cats'))
    await tab
      .getByRole('searchbox', { name: 'Find a tenant' })
      .fill('http://bees.example.com:8080/image/x.Ab1')
    await tab.keyboard.press('Enter')
    await tab.waitForURL(place.at('tenants/bees'))
  })

  test('a second click before the answer sends nothing; the next page can be sent again', async () => {
    const tab = await place.open()
    await tab.goto(place.at('keys'))
    const button = tab.getByRole('button', { name: 'Create the key' })
    const keys = tab.getByRole('button', { name: /^Delete/ })
    for (const presses of [1, 2]) {
      const before = await keys.count()
      await button.scrollIntoViewIfNeeded()
      const clicked = Promise.withResolvers<void>()
      let sent = 0
      await tab.route('**/keys', async (route) => {
        sent += 1
        await clicked.promise
        await route.continue()
      })
      const { x = 0, y = 0 } = (await button.boundingBox()) ?? {}
      // By the mouse itself: `click` waits for the page that the first one leads to.
      await tab.mouse.click(x + 5, y + 5)
      await expect.poll(() => sent).toBe(1)
      await tab.mouse.click(x + 5, y + 5)
      clicked.resolve()
      assert.match(await tab.getByLabel('Key', { exact: true }).inputValue(), /^trc_\d+_/, String(presses))
      assert.deepEqual([sent, await keys.count()], [1, before + 1])
      await tab.unroute('**/keys')
    }
  })

  test('its pages are clean for axe and not wider than a phone, with names as long as they can be', async () => {
    const label = 'l'.repeat(60)
    const hostname = [label, label, label, 'example.com'].join('.')
    await place.app.call('POST', 'tenants', {
      id: 'A'.repeat(64),
      hostname,
      is_enabled: false,
      plan_id: 'small',
    })
    for (const colorScheme of ['light', 'dark'] as const) {
      const tab = await place.open({ colorScheme, viewport: { width: 390, height: 844 } })
      for (const path of [
        'tenants',
        'tenants/new',
        'tenants/cats',
        `tenants/${'A'.repeat(64)}`,
        'tenants/cats/delete',
        'find?q=e',
      ]) {
        await tab.goto(place.at(path))
        assert.deepEqual(await axeFindings(tab), [], path)
        assert.equal(await tab.evaluate('document.documentElement.scrollWidth'), 390, path)
      }
    }
  })
})
