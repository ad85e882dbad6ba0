import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { axeFindings } from '../support/browsers/browser-checks.ts'
import { faultsOf } from '../support/browsers/browser-site.ts'
import { type BrowserConsole, startBrowserConsole } from '../support/console.ts'
import { needing } from '../support/needs.ts'
import { type HeldBucket, heldBucket } from '../support/stores/held-bucket.ts'
import { until } from '../support/until.ts'
import { picture, type TestTenant, uploaded } from '../support/uploads.ts'
import { workEnded, workOf } from '../support/work.ts'

/** How often a page asks for the progress of work. */
function countedAsks(tab: Page) {
  const asks = { count: 0 }
  tab.on('request', (request) => {
    if (request.url().includes('/-/work/')) asks.count += 1
  })
  return asks
}

/** As a browser does if another tab is chosen. */
const turnTo = (tab: Page, state: 'hidden' | 'visible') =>
  tab.evaluate(`
    Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))`)

const browsing = await needing('chromium')
browsing.describe('long work in the console', () => {
  let place: BrowserConsole
  let bucket: HeldBucket
  let cats: TestTenant
  beforeAll(async () => {
    place = await startBrowserConsole()
    bucket = await heldBucket(4)
    cats = await place.app.tenant('cats')
    for (let seed = 1; seed <= 6; seed += 1)
      await uploaded(place.app, cats, { file: await picture({ seed }) })
  })
  afterAll(async () => {
    await bucket?.[Symbol.asyncDispose]()
    await place?.[Symbol.asyncDispose]()
  })

  const setStorage = (url: string | undefined) =>
    place.app.call('PATCH', 'tenants/cats', { env: url === undefined ? {} : { SERVICE_STORAGE_URL: url } })

  test('a move is started by mouse, watched as it goes on, and not asked for while the page is hidden', async () => {
    await setStorage(bucket.url)
    const tab = await place.open()
    const faults = faultsOf(tab)
    const asks = countedAsks(tab)
    await tab.goto(place.at('tenants/cats/place'))
    await tab.getByRole('heading', { level: 1, name: 'Location of cats' }).waitFor()
    assert.deepEqual(await axeFindings(tab), [])
    await tab.getByRole('button', { name: 'Move', exact: true }).click()
    await tab.waitForURL(/\/moves\/\w+$/)
    await tab.evaluate('window.isSamePage = true')
    const bar = tab.getByRole('progressbar', { name: 'Progress' })
    await bar.waitFor()
    await until(async () => asks.count >= 2, 'the page asks')
    await tab.getByText(/^\d.* of \d/).waitFor()
    assert.deepEqual(await axeFindings(tab), [])

    await turnTo(tab, 'hidden')
    // An answer may be on its way.
    await tab.waitForTimeout(500)
    const before = asks.count
    await tab.waitForTimeout(5_000)
    assert.equal(asks.count, before, 'nothing is asked while it is hidden')
    await turnTo(tab, 'visible')
    await until(async () => asks.count > before, 'it asks at once when it is seen again')

    bucket.release()
    await tab.getByText(/12 files and \d+ rows were copied/).waitFor()
    assert.equal(await bar.count(), 0)
    assert.equal(await tab.evaluate("'isSamePage' in window"), false, 'the page was loaded again')
    const after = asks.count
    await tab.waitForTimeout(2_500)
    assert.equal(asks.count, after, 'nothing is asked once the work has ended')
    await tab.getByRole('navigation').getByRole('link', { name: 'Moves' }).click()
    await tab.getByRole('row', { name: /cats.*Done/ }).waitFor()
    assert.deepEqual(await axeFindings(tab), [])
    assert.deepEqual(faults, [])
  })

  test('a move is cancelled, with the keyboard alone and without script', async () => {
    // It goes back home, where nothing holds it, and then away again.
    await setStorage(undefined)
    await place.app.console.post('tenants/cats/move')
    await workEnded(place.app)
    bucket.hold(2)
    await setStorage(bucket.url)
    const tab = await place.open({ javaScriptEnabled: false })
    const asks = countedAsks(tab)
    await tab.goto(place.at('tenants/cats/place'))
    await tab.getByRole('button', { name: 'Move', exact: true }).focus()
    await tab.keyboard.press('Enter')
    await tab.waitForURL(/\/moves\/\w+$/)
    await until(bucket.isHolding, 'the move is half-way')
    await tab.getByRole('link', { name: 'Refresh' }).focus()
    await tab.keyboard.press('Enter')
    await tab.getByText('Running', { exact: true }).waitFor()
    const cancel = tab.getByRole('button', { name: 'Cancel' })
    await tab.getByRole('link', { name: 'Refresh' }).focus()
    await tab.keyboard.press('Tab')
    assert.equal(await cancel.evaluate((button) => button.matches(':focus')), true)
    // The page that comes back has the same address.
    const isBack = tab.waitForEvent('framenavigated')
    await tab.keyboard.press('Enter')
    await isBack
    bucket.release()
    await workEnded(place.app)
    await tab.reload()
    await tab.getByText('Cancelled', { exact: true }).waitFor()
    assert.equal(asks.count, 0)
  })

  test('jobs run, checks run, and a backup is taken and verified with the keyboard', {
    timeout: 120_000,
  }, async () => {
    const tab = await place.open()
    const faults = faultsOf(tab)
    const press = async (name: string | RegExp) => {
      await tab.getByRole('button', { name, exact: true }).focus()
      await tab.keyboard.press('Enter')
    }
    await tab.goto(place.at('jobs'))
    assert.deepEqual(await axeFindings(tab), [])
    await press('Run now: cats')
    await tab.getByText('The due jobs of cats ran.').waitFor()

    await tab.keyboard.press('g')
    await tab.keyboard.press('h')
    await tab.getByRole('heading', { level: 1, name: 'Health' }).waitFor()
    await press('Run the checks')
    await tab.getByRole('rowheader', { name: 'control-tables' }).waitFor()
    assert.deepEqual(await axeFindings(tab), [])

    await tab.goto(place.at('backups'))
    await press('Take a backup')
    await tab.getByText('Not verified yet').waitFor()
    await press(/^Verify: /)
    await tab.getByText('Verified', { exact: true }).waitFor()
    assert.deepEqual(await axeFindings(tab), [])
    assert.ok((await workOf(place.app)).every(({ state }) => state !== 'failed'))
    assert.deepEqual(faults, [])
  })
})
