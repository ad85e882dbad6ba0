import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { brandColours } from '../../src/pages/brand.ts'
import { ada, type BrowserSite, startBrowserSite } from '../support/browsers/browser-site.ts'
import { markupStrings } from '../support/fixtures/markup-strings.ts'
import { needing } from '../support/needs.ts'

const browsing = await needing('chromium')
browsing.describe('the site in the dashboard', () => {
  let site: BrowserSite
  beforeAll(async () => {
    site = await startBrowserSite()
  })
  afterAll(() => site?.[Symbol.asyncDispose]())

  test('an administrator writes a page, looks at the preview, saves it and finds it at the foot, without script', async () => {
    const tab = await site.open({ as: ada, javaScriptEnabled: false })
    await tab.goto(site.at('/dashboard/pages'))
    await tab.getByRole('link', { name: 'Terms of use' }).click()
    await tab.getByLabel('Text', { exact: true }).fill('# Rules\n\nBe *kind*.')
    await tab.getByLabel('Visible to visitors').check()
    await tab.getByRole('button', { name: 'Preview' }).click()
    await tab.getByRole('heading', { name: 'Rules', level: 2 }).waitFor()
    assert.equal(await tab.getByLabel('Text', { exact: true }).inputValue(), '# Rules\n\nBe *kind*.')
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.waitForURL(site.at('/dashboard/pages?saved=1'))
    await tab.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Terms of use' }).click()
    await tab.getByRole('heading', { name: 'Terms of use', level: 1 }).waitFor()
    assert.equal(await tab.locator('em').textContent(), 'kind')
  })

  test('by keyboard alone a refused setting keeps its text and the focus, and is corrected', async () => {
    const tab = await site.open({ as: ada })
    const faults = faultsOf(tab)
    await tab.goto(site.at('/dashboard/settings/listing'))
    await tab.getByLabel('Days in the trash').focus()
    await tab.keyboard.press('ControlOrMeta+A')
    await tab.keyboard.type('many')
    await tab.keyboard.press('Enter')
    await tab.getByRole('alert').waitFor()
    const days = tab.getByLabel('Days in the trash')
    assert.equal(await days.inputValue(), 'many')
    assert.equal(await tab.evaluate('document.activeElement.id'), 'trash_days')
    await tab.keyboard.press('ControlOrMeta+A')
    await tab.keyboard.type('9')
    await tab.keyboard.press('Enter')
    await tab.waitForURL(site.at('/dashboard/settings/listing?saved=1'))
    assert.equal(await days.inputValue(), '9')
    assert.deepEqual(faults, [])
  })

  test('texts that would run in a page run nowhere and come back exactly', async () => {
    const tab = await site.open({ as: ada })
    const faults = faultsOf(tab)
    const body = `\n${markupStrings.join('\n\n')}`
    const title = markupStrings[1] ?? ''
    await tab.goto(site.at('/dashboard/pages/new'))
    await tab.getByLabel('Title').fill(title)
    await tab.getByLabel('Name in the link').fill('naughty')
    await tab.getByLabel('Text', { exact: true }).fill(body)
    await tab.getByLabel('Visible to visitors').check()
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.waitForURL(site.at('/dashboard/pages?saved=1'))
    await tab.goto(site.at('/page/naughty'))
    await tab.getByRole('heading', { level: 1, name: title }).waitFor()
    await tab.goto(site.at('/dashboard/pages'))
    await tab.getByRole('table').getByRole('link', { name: title }).click()
    assert.equal(await tab.getByLabel('Text', { exact: true }).inputValue(), body)
    await tab.goto(site.at('/dashboard/branding'))
    await tab.getByLabel('Site name').fill(title)
    await tab.getByLabel('Accent').fill('#ffcc00')
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByRole('link', { name: title, exact: true }).first().waitFor()
    const colour = await tab.evaluate(
      `getComputedStyle(document.querySelector('main button')).backgroundColor`,
    )
    assert.equal(colour, `rgb(${brandColours([255, 204, 0], 'light').accent.join(', ')})`)
    assert.deepEqual(faults, [])
  })
})

/** Violations of the policy are errors in the console; so is a dialog, which a text that runs would open. */
function faultsOf(tab: Page): string[] {
  const faults: string[] = []
  tab.on('dialog', async (dialog) => {
    faults.push(dialog.message())
    await dialog.dismiss()
  })
  tab.on('pageerror', (error) => faults.push(error.message))
  tab.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('status of 400')) faults.push(message.text())
  })
  return faults
}
