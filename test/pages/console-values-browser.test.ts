import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { axeFindings } from '../support/browsers/browser-checks.ts'
import { faultsOf } from '../support/browsers/browser-site.ts'
import { type BrowserConsole, startBrowserConsole } from '../support/console.ts'
import { needing } from '../support/needs.ts'

const browsing = await needing('chromium')
browsing.describe('values, plans and the overview in a browser', () => {
  let place: BrowserConsole
  beforeAll(async () => {
    place = await startBrowserConsole()
    const { app } = place
    await app.call('POST', 'tenants-plans', { id: 'small', env: { PLAN_TOKEN: 'plan-secret' } })
    await app.tenant('cats')
    await app.call('PATCH', 'tenants/cats', { plan_id: 'small' })
  })
  afterAll(async () => place?.[Symbol.asyncDispose]())

  const row = (tab: Page, name: string) =>
    tab.getByRole('row').filter({ has: tab.getByRole('rowheader', { name, exact: true }) })
  const limits = async () => (await place.app.call('GET', 'tenants/cats')).json.limits

  /** Presses Tab until the element that the script finds has the focus. */
  async function tabTo(tab: Page, selector: string): Promise<void> {
    for (let presses = 0; presses < 120; presses += 1) {
      if (await tab.evaluate(`document.activeElement?.matches(${JSON.stringify(selector)})`)) return
      await tab.keyboard.press('Tab')
    }
    assert.fail(`${selector} is not reached by Tab`)
  }

  test('by mouse a value is found, set, refused, set again, revealed and removed', async () => {
    const tab = await place.open()
    const faults = faultsOf(tab)
    await tab.goto(place.at('tenants/cats/values'))
    await tab.getByLabel('Filter by name or description').fill('albums')
    await tab.getByRole('button', { name: 'Filter' }).click()
    await tab.getByRole('link', { name: 'SERVICE_MAX_ALBUMS' }).click()
    await tab.getByLabel('Value', { exact: true }).fill('many')
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByText('Enter a whole number.').waitFor()
    assert.equal(await tab.evaluate('document.activeElement?.id'), 'value')
    assert.equal(await tab.getByLabel('Value', { exact: true }).inputValue(), 'many')
    await tab.getByLabel('Value', { exact: true }).fill('7')
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByText('Saved.').waitFor()
    assert.deepEqual(await limits(), { SERVICE_MAX_ALBUMS: '7' })
    await row(tab, 'SERVICE_MAX_ALBUMS').getByRole('button', { name: 'Remove SERVICE_MAX_ALBUMS' }).click()
    await tab.getByText('Saved.').waitFor()
    assert.deepEqual(await limits(), {})

    await tab.goto(place.at('tenants/cats/values?show=set'))
    assert.equal(await tab.getByText('plan-secret').count(), 0)
    await tab.getByRole('button', { name: 'Reveal' }).click()
    await row(tab, 'PLAN_TOKEN').getByText('plan-secret').first().waitFor()
    await tab.goto(place.at('tenants/cats/values?show=set'))
    assert.equal(await tab.getByText('plan-secret').count(), 0)
    // Chromium reports the status of the page that shows the refused form again.
    assert.deepEqual(
      faults.filter((fault) => !fault.includes('status of 400')),
      [],
    )
  })

  test('by keyboard alone a value is set and removed', async () => {
    const tab = await place.open()
    await tab.goto(place.at('tenants/cats/values'))
    await tabTo(tab, '[name="name"]')
    await tab.keyboard.type('SERVICE_MAX_TAGS')
    await tabTo(tab, '[name="value"]')
    await tab.keyboard.type('4')
    await tab.keyboard.press('Enter')
    await tab.getByText('Saved.').waitFor()
    assert.deepEqual(await limits(), { SERVICE_MAX_TAGS: '4' })
    await tabTo(tab, '[aria-label="Remove SERVICE_MAX_TAGS"]')
    await tab.keyboard.press('Enter')
    await row(tab, 'SERVICE_MAX_TAGS').getByRole('button').waitFor({ state: 'detached' })
    assert.deepEqual(await limits(), {})
  })

  test('a plan is created by mouse, its change previewed and saved by keyboard', async () => {
    const tab = await place.open()
    const faults = faultsOf(tab)
    await tab.goto(place.at('plans'))
    await tab.getByRole('link', { name: 'New plan' }).click()
    await tab.getByLabel('Id').fill('big')
    await tab.getByRole('button', { name: 'Create the plan' }).click()
    await tab.getByRole('heading', { level: 1, name: 'Plan big' }).waitFor()
    await place.app.call('PATCH', 'tenants/cats', { plan_id: 'big' })
    await tabTo(tab, '[name="name"]')
    await tab.keyboard.type('SERVICE_MAX_KEYS_PER_USER')
    await tabTo(tab, '[name="value"]')
    await tab.keyboard.type('3')
    await tab.keyboard.press('Enter')
    await tab.getByText('1 tenant changes.').waitFor()
    await tabTo(tab, '.preview button')
    await tab.keyboard.press('Enter')
    await tab.getByText('Saved.').waitFor()
    const { limits: stored } = (await place.app.call('GET', 'tenants-plans/big')).json
    assert.deepEqual(stored, { SERVICE_MAX_KEYS_PER_USER: '3' })
    await tab.getByRole('button', { name: 'Delete the plan' }).click()
    await tab.getByRole('heading', { level: 1, name: 'Plans' }).waitFor()
    assert.equal((await place.app.call('GET', 'tenants-plans/big')).status, 404)
    assert.deepEqual(faults, [])
  })

  test('without script values and plans are changed, and the overview has its numbers', async () => {
    const tab = await place.open({ javaScriptEnabled: false })
    await tab.goto(place.at('tenants/cats/values?q=tags'))
    await tab.getByRole('link', { name: 'SERVICE_MAX_TAGS', exact: true }).click()
    await tab.getByLabel('Value', { exact: true }).fill('6')
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByText('Saved.').waitFor()
    await row(tab, 'SERVICE_MAX_TAGS').getByRole('button', { name: 'Remove SERVICE_MAX_TAGS' }).click()
    await tab.getByText('Saved.').waitFor()

    await tab.goto(place.at('plans/small?name=SERVICE_MAX_TAGS'))
    await tab.getByLabel('Value', { exact: true }).fill('5')
    await tab.getByRole('button', { name: 'Preview' }).click()
    await tab.getByRole('heading', { name: 'What this changes' }).waitFor()
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByText('Saved.').waitFor()

    await tab.goto(place.at())
    await tab.getByRole('columnheader', { name: 'Errors' }).waitFor()
    await tab.getByRole('link', { name: '90 days' }).click()
    assert.equal(await tab.locator('.day-numbers tbody tr').count(), 90)
  })

  test('the overview draws its charts, leads to what it counts, and loads no more script than it may', async () => {
    const tab = await place.open()
    const faults = faultsOf(tab)
    let bytes = 0
    tab.on('response', async (response) => {
      if (/\.js$/.test(new URL(response.url()).pathname))
        bytes += Number((await response.allHeaders())['content-length'] ?? 0)
    })
    await place.app.call('PATCH', 'tenants/cats', { limits: { SERVICE_MAX_USERS: '1' } })
    await tab.goto(place.at(), { waitUntil: 'networkidle' })
    await tab.locator('[data-is-drawn] .chart canvas').nth(4).waitFor()
    assert.ok(bytes > 0 && bytes <= 36_000, `${bytes} bytes of script`)
    await tab.getByRole('link', { name: '1 tenant uses more than 90 % of a limit' }).click()
    await tab.getByRole('link', { name: 'Users of all roles' }).click()
    assert.equal(await tab.getByLabel('Name', { exact: true }).inputValue(), 'SERVICE_MAX_USERS')
    await place.app.call('PATCH', 'tenants/cats', { limits: {} })
    assert.deepEqual(faults, [])
  })

  for (const width of [390, 1_280])
    for (const colorScheme of ['light', 'dark'] as const)
      test(`the pages fit ${width} pixels in ${colorScheme}, and axe finds nothing`, async () => {
        const tab = await place.open({ viewport: { width, height: 800 }, colorScheme })
        const paths = ['', 'attention/limits', 'tenants/cats/values', 'plans', 'plans/new', 'plans/small']
        for (const path of paths) {
          await tab.goto(place.at(path))
          assert.deepEqual(await axeFindings(tab), [], path)
          const overflow = await tab.evaluate(
            'document.documentElement.scrollWidth - document.documentElement.clientWidth',
          )
          assert.equal(overflow, 0, path)
        }
      })
})
