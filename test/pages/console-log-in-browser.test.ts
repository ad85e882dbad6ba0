import assert from 'node:assert/strict'
import { TOTP } from 'otpauth'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { createOperator, type OperatorRole } from '../../src/control/index.ts'
import { addAuthenticator } from '../support/browsers/authenticator.ts'
import { startBrowser, type TestBrowser } from '../support/browsers/browser.ts'
import { axeFindings } from '../support/browsers/browser-checks.ts'
import { faultsOf } from '../support/browsers/browser-site.ts'
import { reach, reachAndPress, typeInto } from '../support/browsers/keyboard.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'

const password = 'a good and long password'
// Browsers know passkeys on plain http at names of this machine alone.
const hostname = 'console.localhost'

const browsing = await needing('chromium')
browsing.describe('the way into the console, in a browser', () => {
  let app: TestApp
  let browser: TestBrowser
  beforeAll(async () => {
    app = await startTestApp({ environment: { SERVICE_CONSOLE_HOSTNAME: hostname } })
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await app?.[Symbol.asyncDispose]()
  })

  const at = (path = '') => `http://${hostname}:${app.port}/_/console${path === '' ? '' : `/${path}`}`
  const open = async (options?: BrowserContextOptions) => (await browser.newContext(options)).newPage()
  const linkOf = async (username: string, role: OperatorRole = 'operator') =>
    at(`invite/${(await createOperator(app.app.control, { username, role })).token}`)
  const codeOf = (secret: string) =>
    new TOTP({ secret }).generate({ timestamp: app.app.control.clock.now().getTime() })
  const logOut = async (tab: Page) => {
    await tab.getByRole('button', { name: 'Log out' }).click()
    await tab.getByRole('heading', { level: 1, name: 'Log in' }).waitFor()
  }

  test('a passkey sets the account up, logs in and proves, by mouse', async () => {
    const tab = await open()
    const faults = faultsOf(tab)
    await addAuthenticator(tab)
    await tab.goto(await linkOf('grace'))
    await tab.getByRole('heading', { level: 1, name: 'Set up your account' }).waitFor()
    assert.deepEqual(await axeFindings(tab), [])
    await tab.getByLabel('Name of the passkey').fill('My <laptop>')
    await tab.getByRole('button', { name: 'Add a passkey' }).click()
    await tab.waitForURL(at())
    await tab.goto(at('me'))
    assert.ok((await tab.getByRole('rowheader').allTextContents()).includes('My <laptop>'))
    assert.deepEqual(await axeFindings(tab), [])

    await tab.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
    await logOut(tab)
    assert.deepEqual(await axeFindings(tab), [])
    await tab.goto(at('operators'))
    await tab.getByRole('button', { name: 'Log in with a passkey' }).click()
    await tab.waitForURL(at('operators'))

    app.wait(601)
    await tab.getByLabel('User name').fill('vera')
    await tab.getByRole('combobox', { name: 'Role', exact: true }).selectOption('Viewer')
    await tab.getByRole('button', { name: 'Create the operator' }).click()
    await tab.waitForURL((url) => url.pathname.endsWith('/prove'))
    assert.deepEqual(await axeFindings(tab), [])
    await tab.getByRole('button', { name: 'Log in with a passkey' }).click()
    await tab.waitForURL(at('operators'))
    assert.equal(await tab.getByRole('rowheader', { name: 'vera' }).count(), 0, 'nothing was done')
    await tab.getByLabel('User name').fill('vera')
    await tab.getByRole('button', { name: 'Create the operator' }).click()
    const link = await tab.getByLabel('Link', { exact: true }).inputValue()
    assert.match(link, /^http:\/\/console\.localhost:\d+\/_\/console\/invite\/\w{43}$/)
    await tab.getByRole('button', { name: 'Delete: vera' }).click()
    await tab.waitForURL(at('operators?saved=1'))
    assert.equal(await tab.getByRole('rowheader', { name: 'vera' }).count(), 0)
    // The log-out has the browser forget pages, which it says.
    assert.deepEqual(
      faults.filter((fault) => !/^Clear-Site-Data/.test(fault)),
      [],
    )
  })

  test('a password and codes set the account up and log in, by keyboard alone', async () => {
    const tab = await open()
    const press = async (...keys: string[]) => {
      for (const key of keys) await tab.keyboard.press(key)
    }
    await tab.goto(await linkOf('kay'))
    const secret = await tab.getByLabel('Or enter this key').inputValue()
    await reach(tab, 'New password')
    await tab.keyboard.type(password)
    await reach(tab, 'Code')
    await tab.keyboard.type('000000')
    await press('Enter')
    await tab.getByRole('alert').first().waitFor()
    await reach(tab, 'New password')
    await tab.keyboard.type(password)
    await reach(tab, 'Code')
    await tab.keyboard.type(codeOf(secret))
    await press('Enter')
    await tab.locator('.recovery-codes li').first().waitFor()
    assert.equal(await tab.locator('.recovery-codes li').count(), 10)
    await tab.goto(at('operators'))
    await tab.getByRole('heading', { level: 1, name: 'Operators' }).waitFor()
    await reach(tab, 'Log out')
    await press('Enter')
    await tab.getByRole('heading', { level: 1, name: 'Log in' }).waitFor()

    await tab.goto(at('keys'))
    // The first field has the focus, once the page is drawn.
    await tab.locator('input[name=login]:focus').waitFor()
    await tab.keyboard.type('kay')
    await press('Tab')
    await tab.keyboard.type(password)
    await press('Enter')
    await tab.waitForURL(at('login/code'))
    app.wait(30)
    await tab.locator('input[name=code]:focus').waitFor()
    await tab.keyboard.type(codeOf(secret))
    await press('Enter')
    await tab.waitForURL(at('keys'))
    await tab.getByRole('heading', { level: 1, name: 'Management keys' }).waitFor()
  })

  test('a passkey sets the account up, is renamed but not removed, and its session is ended, by keyboard alone', async () => {
    const tab = await open()
    await addAuthenticator(tab)
    await tab.goto(await linkOf('lin'))
    await typeInto(tab, 'Name of the passkey', 'Laptop')
    await reachAndPress(tab, 'Add a passkey')
    await tab.waitForURL(at())
    await reachAndPress(tab, 'lin')
    await tab.waitForURL(at('me'))
    await reachAndPress(tab, 'Rename: Laptop')
    await typeInto(tab, 'Name of the passkey', 'Desk')
    await reachAndPress(tab, 'Save')
    await tab.getByRole('rowheader', { name: 'Desk' }).waitFor()
    await reachAndPress(tab, 'Remove: Desk')
    await reachAndPress(tab, 'Remove passkey')
    await tab.getByText('This is your last second factor').waitFor()
    assert.equal(await tab.getByRole('rowheader', { name: 'Desk' }).count(), 1)
    // Else the device logs in again as soon as the form offers it passkeys.
    await tab.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
    const end = tab.getByRole('button', { name: /^End: / })
    await reachAndPress(tab, (await end.getAttribute('aria-label')) ?? '')
    await tab.getByRole('heading', { level: 1, name: 'Log in' }).waitFor()
    await tab.goto(at('me'))
    assert.match(tab.url(), /\/login\?to=/)
  })

  test('works without script, and a viewer sees no form but the own ones', async () => {
    const tab = await open({ javaScriptEnabled: false })
    await tab.goto(await linkOf('vic', 'viewer'))
    await tab.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor()
    assert.equal(await tab.getByRole('button', { name: 'Add a passkey' }).count(), 0)
    const secret = await tab.getByLabel('Or enter this key').inputValue()
    await tab.getByLabel('New password').fill(password)
    await tab.getByRole('textbox', { name: 'Code' }).fill(codeOf(secret))
    await tab.getByRole('button', { name: 'Set up' }).click()
    const [recovery = ''] = await tab.locator('.recovery-codes li').allTextContents()
    await tab.goto(at('operators'))
    assert.equal(await tab.getByRole('button', { name: 'Create the operator' }).count(), 0)
    assert.equal(await tab.getByRole('button', { name: /^(Delete|Reset|Save)/ }).count(), 0)
    await logOut(tab)

    await tab.getByLabel('User name').fill('vic')
    await tab.getByLabel('Password').fill('wrong')
    await tab.getByRole('button', { name: 'Log in', exact: true }).click()
    await tab.getByRole('alert').waitFor()
    assert.equal(await tab.getByLabel('User name').inputValue(), 'vic')
    await tab.getByLabel('Password').fill(password)
    await tab.getByRole('button', { name: 'Log in', exact: true }).click()
    await tab.getByRole('textbox', { name: 'Code' }).fill(recovery)
    await tab.getByRole('button', { name: 'Log in', exact: true }).click()
    await tab.goto(at('me'))
    await tab.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
    await tab.getByText('This session').waitFor()
  })
})
