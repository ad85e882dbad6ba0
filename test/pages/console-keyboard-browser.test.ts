import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { reachAndPress, typeInto } from '../support/browsers/keyboard.ts'
import { type BrowserConsole, operatorPassword, startBrowserConsole } from '../support/console.ts'
import { needing } from '../support/needs.ts'
import { until } from '../support/until.ts'
import { uploaded } from '../support/uploads.ts'
import { workEnded, workOf } from '../support/work.ts'

const browsing = await needing('chromium')

browsing.describe('the console by keyboard alone', () => {
  let place: BrowserConsole
  beforeAll(async () => {
    place = await startBrowserConsole()
    await uploaded(place.app, await place.app.tenant('cats'))
  })
  afterAll(async () => {
    await place?.[Symbol.asyncDispose]()
  })

  const headingOf = (tab: Page) => tab.getByRole('heading', { level: 1 }).innerText()
  const saved = (tab: Page) => tab.getByText('Saved').waitFor()

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? 'with script' : 'without script'
    // Each run has tenants, operators and keys of its own.
    const name = javaScriptEnabled ? 'ada' : 'bob'

    test(`${how} an operator is created, made a viewer, reset and deleted`, async () => {
      const tab = await place.open({ javaScriptEnabled })
      await tab.goto(place.at())
      await reachAndPress(tab, 'Operators')
      await tab.waitForURL(place.at('operators'))
      await typeInto(tab, 'User name', name)
      await reachAndPress(tab, 'Create the operator')
      await tab.getByLabel('Link', { exact: true }).waitFor()
      // A letter chooses in a list: o for operator, v for viewer.
      await reachAndPress(tab, `Role: ${name}`, 'v')
      await reachAndPress(tab, `Save: ${name}`)
      await saved(tab)
      assert.equal(await tab.getByLabel(`Role: ${name}`).inputValue(), 'viewer')
      await reachAndPress(tab, `Reset: ${name}`)
      await tab.getByLabel('Link', { exact: true }).waitFor()
      await tab.goto(place.at('operators'))
      await reachAndPress(tab, `Delete: ${name}`)
      await saved(tab)
      assert.equal(await tab.getByRole('rowheader', { name }).count(), 0)
    })

    test(`${how} a key is created and deleted, and the audit log filtered and downloaded`, async () => {
      const tab = await place.open({ javaScriptEnabled })
      await tab.goto(place.at('keys'))
      await typeInto(tab, 'Name', name)
      await reachAndPress(tab, 'Create the key')
      assert.match(await tab.getByLabel('Key', { exact: true }).inputValue(), /^trc_/)
      await tab.goto(place.at('keys'))
      await reachAndPress(tab, `Delete: ${name}`)
      await saved(tab)

      await reachAndPress(tab, 'Audit')
      await tab.waitForURL(place.at('audit'))
      await reachAndPress(tab, 'What', 'M')
      await typeInto(tab, 'Who', 'grace')
      await reachAndPress(tab, 'Search')
      await tab.waitForURL(/verb=/)
      const verb = new URL(tab.url()).searchParams.get('verb') ?? ''
      assert.notEqual(verb, '')
      assert.equal(new URL(tab.url()).searchParams.get('who'), 'grace')
      const file = tab.waitForEvent('download')
      await reachAndPress(tab, 'Download as CSV')
      assert.equal((await file).suggestedFilename(), 'audit.csv')
      assert.match((await file).url(), new RegExp(`verb=${verb}&who=grace$`))
    })

    test(`${how} jobs run, checks run, and a backup is taken and verified`, {
      timeout: 120_000,
    }, async () => {
      const tab = await place.open({ javaScriptEnabled })
      await tab.goto(place.at('jobs'))
      await reachAndPress(tab, 'Run now: cats')
      await tab.getByText('The due jobs of cats ran.').waitFor()

      await reachAndPress(tab, 'Health')
      await tab.waitForURL(place.at('health'))
      await runToEnd(tab, 'health', 'Run the checks')
      await tab.getByRole('rowheader', { name: 'control-tables' }).waitFor()

      await tab.goto(place.at('backups'))
      await runToEnd(tab, 'backups', 'Take a backup')
      await tab.getByText('Not verified yet').first().waitFor()
      const [newest] = await tab.getByRole('button', { name: /^Verify: / }).all()
      await runToEnd(tab, 'backups', (await newest?.getAttribute('aria-label')) ?? '')
      await tab.getByText('Not verified yet').waitFor({ state: 'detached' })
      await tab.getByText('Verified', { exact: true }).first().waitFor()
    })

    /** With script the page loads itself again when the work has ended. */
    async function runToEnd(tab: Page, path: string, button: string): Promise<void> {
      const before = (await workOf(place.app)).length
      await reachAndPress(tab, button)
      await until(async () => (await workOf(place.app)).length > before, 'the work is asked for')
      await workEnded(place.app)
      if (!javaScriptEnabled) await tab.goto(place.at(path))
    }
  }

  // At the end, because these move the clock beyond the proof of the others.
  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? 'with script' : 'without script'
    test(`${how} the own password and codes are renewed, and a proof is given`, async () => {
      const client = await place.app.operator('operator')
      const tab = await place.open({ javaScriptEnabled, client })
      await tab.goto(place.at())
      await reachAndPress(tab, client.username)
      await tab.waitForURL(place.at('me'))
      assert.equal(await headingOf(tab), 'Your account')
      await reachAndPress(tab, 'Create new recovery codes')
      await tab.locator('.recovery-codes li').first().waitFor()
      assert.equal(await tab.locator('.recovery-codes li').count(), 10)

      await tab.goto(place.at('me'))
      await typeInto(tab, 'Your current password', operatorPassword)
      await typeInto(tab, 'New password', 'another long password of mine')
      await reachAndPress(tab, 'Change password')
      await saved(tab)

      // The proof ends: what needs one asks for the new password, and leads back.
      place.app.wait(601)
      await reachAndPress(tab, 'Create new recovery codes')
      await tab.waitForURL(/\/prove\?to=/)
      await typeInto(tab, 'Your current password', 'another long password of mine')
      await reachAndPress(tab, 'Go on')
      await tab.waitForURL(place.at('me'))
      await reachAndPress(tab, 'Log out')
      await tab.getByRole('heading', { level: 1, name: 'Log in' }).waitFor()
    })
  }
})
