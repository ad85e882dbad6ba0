import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { axeFindings } from '../support/browsers/browser-checks.ts'
import { ada, type BrowserSite, startBrowserSite } from '../support/browsers/browser-site.ts'
import { needing } from '../support/needs.ts'
import { until } from '../support/until.ts'
import { picture, uploaded } from '../support/uploads.ts'

const path = '/dashboard/settings/transforms'

const browsing = await needing('chromium')
browsing.describe('presets in the dashboard', () => {
  let site: BrowserSite
  beforeAll(async () => {
    site = await startBrowserSite()
    await uploaded(site.app, site.tenant, { file: await picture({ width: 900, height: 600 }) })
  })
  afterAll(() => site?.[Symbol.asyncDispose]())

  test('by mouse an administrator makes one, sees its picture, changes it and deletes it, without script', async () => {
    const tab = await site.open({ as: ada, javaScriptEnabled: false })
    await tab.goto(site.at('/dashboard/settings/general'))
    await tab.getByRole('link', { name: 'Presets' }).click()
    await tab.getByRole('link', { name: 'New preset' }).click()
    await tab.getByLabel('Name', { exact: true }).fill('card')
    await tab.getByLabel('Width').fill('300')
    await tab.getByLabel('Height').fill('300')
    await tab.getByLabel('Fit').selectOption({ label: 'Fill the size, cut off the rest' })
    await tab.getByRole('button', { name: 'Create preset' }).click()
    await tab.waitForURL(site.at(`${path}?saved=1`))
    await tab.getByRole('heading', { name: 'card', level: 2 }).waitFor()
    const shown = tab.getByRole('img', { name: 'A picture of this site as card' })
    await shown.scrollIntoViewIfNeeded()
    assert.equal(await shown.getAttribute('width'), '300')

    await tab.getByRole('link', { name: 'Edit: card' }).click()
    assert.equal(await tab.getByLabel('Fit').inputValue(), 'cover')
    await tab.getByLabel('Height').fill('100')
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.waitForURL(site.at(`${path}?saved=1`))
    assert.equal(await shown.getAttribute('height'), '100')

    await tab.getByRole('link', { name: 'Delete preset: card' }).click()
    await tab.getByRole('button', { name: 'Delete preset' }).click()
    await tab.waitForURL(site.at(`${path}?saved=1`))
    await tab.getByText('No presets yet').waitFor()
  })

  test('by keyboard alone a refused preset keeps its text and the focus, and is corrected', async () => {
    const tab = await site.open({ as: ada })
    await tab.goto(site.at(`${path}/new`))
    await tab.getByLabel('Name', { exact: true }).focus()
    await tab.keyboard.type('wide')
    await tab.keyboard.press('Tab')
    await tab.keyboard.type('many')
    await tab.keyboard.press('Enter')
    await tab.getByText('Use a whole number from 1 to 4096, not “many”.').waitFor()
    assert.equal(await tab.getByLabel('Name', { exact: true }).inputValue(), 'wide')
    assert.equal(await tab.evaluate('document.activeElement.id'), 'width')
    await tab.keyboard.press('ControlOrMeta+A')
    await tab.keyboard.type('640')
    await tab.keyboard.press('Enter')
    await tab.waitForURL(site.at(`${path}?saved=1`))
    const shown = tab.getByRole('img', { name: 'A picture of this site as wide' })
    await shown.scrollIntoViewIfNeeded()
    const widthOf = () => shown.evaluate((image) => (image as { naturalWidth?: number }).naturalWidth)
    await until(async () => (await widthOf()) === 640, 'the picture is loaded')
  })

  test('axe finds nothing on their pages, in both themes, on a phone and a desktop', async () => {
    const tab = await site.open({ as: ada })
    await tab.goto(site.at(`${path}/new`))
    await tab.getByLabel('Name', { exact: true }).fill('looked')
    await tab.getByLabel('Width').fill('200')
    await tab.getByRole('button', { name: 'Create preset' }).click()
    await tab.waitForURL(site.at(`${path}?saved=1`))
    for (const width of [390, 1280])
      for (const colorScheme of ['light', 'dark'] as const) {
        await tab.setViewportSize({ width, height: 844 })
        await tab.emulateMedia({ colorScheme })
        // The form of a new one has the same fields, and one more.
        for (const page of [
          '',
          '/preset/looked',
          ...(width === 390 ? ['/new'] : ['/preset/looked/delete']),
        ]) {
          await tab.goto(site.at(`${path}${page}`))
          assert.deepEqual(await axeFindings(tab), [], `${page} ${width} ${colorScheme}`)
          assert.equal(await tab.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, page)
        }
      }
  })
})
