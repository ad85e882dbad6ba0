import assert from 'node:assert/strict'
import { TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { addAuthenticator } from '../support/browsers/authenticator.ts'
import { ada, type BrowserSite, startBrowserSite } from '../support/browsers/browser-site.ts'
import { needing } from '../support/needs.ts'

const browsing = await needing('chromium')
browsing.describe('second steps in a browser', () => {
  let site: BrowserSite
  let at: (path: string) => string
  beforeAll(async () => {
    site = await startBrowserSite()
    // Browsers know passkeys on plain http at names of this machine alone.
    const hostname = 'passkeys.localhost'
    await site.app.call('POST', 'tenants', { id: 'passkeys', hostname, is_enabled: true })
    const account = { username: 'ada', email: 'ada@example.com', password: ada.password }
    await site.app.call('POST', 'tenants/passkeys/install', account)
    at = (path) => `http://${hostname}:${site.app.port}${path}`
  })
  afterAll(() => site?.[Symbol.asyncDispose]())

  async function logInByPassword(tab: Page, to: string) {
    await tab.goto(at(`/login?to=${to}`))
    await tab.getByLabel('User name or e-mail address').fill('ada')
    await tab.getByLabel('Password', { exact: true }).fill(ada.password)
    await tab.getByRole('button', { name: 'Log in', exact: true }).click()
  }

  test('a passkey is made, logs in by suggestion and by button, and proves', async () => {
    const tab = await site.open()
    const faults = faultsOf(tab)
    await addAuthenticator(tab)
    await logInByPassword(tab, '/settings/security')
    await tab.getByLabel('Name of the passkey').fill('My <laptop>')
    await tab.getByRole('button', { name: 'Add a passkey' }).click()
    await tab.waitForURL(at('/settings/security?saved=1'))
    assert.ok((await tab.getByRole('rowheader').allTextContents()).includes('My <laptop>'))

    // The device says yes to the suggestion at once.
    await tab.context().clearCookies()
    await tab.goto(at('/login?to=/settings/uploads'), { waitUntil: 'commit' })
    await tab.waitForURL(at('/settings/uploads'))

    await tab.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
    await tab.context().clearCookies()
    await tab.goto(at('/login?to=/settings/security'))
    await tab.getByRole('button', { name: 'Log in with a passkey' }).click()
    await tab.waitForURL(at('/settings/security'))
    await tab.getByText('moments ago').first().waitFor()

    site.app.wait(601)
    await tab.goto(at('/prove?to=/settings/keys'))
    await tab.getByRole('button', { name: 'Log in with a passkey' }).click()
    await tab.waitForURL(at('/settings/keys'))

    await tab.goto(at('/settings/security'))
    await tab.getByText('Remove', { exact: true }).click()
    await tab.getByRole('button', { name: 'Remove passkey' }).click()
    await tab.waitForURL(at('/settings/security?saved=1'))
    await tab.context().clearCookies()
    await tab.goto(at('/login'))
    await tab.getByRole('button', { name: 'Log in with a passkey' }).click()
    await tab.getByText('This passkey wasn’t accepted. Try again.').waitFor()
    // The refusal itself is a line of the console.
    assert.deepEqual(
      faults.filter((fault) => !fault.includes('401')),
      [],
    )
  })

  test('the name of a passkey is kept while the password is asked for', async () => {
    const tab = await site.open()
    await addAuthenticator(tab)
    await logInByPassword(tab, '/settings/security')
    site.app.wait(601)
    const name = tab.getByLabel('Name of the passkey').last()
    await name.fill('Ada’s “phone” & 100 %')
    await tab.getByRole('button', { name: 'Add a passkey' }).click()
    await tab.waitForURL((url) => url.pathname === '/prove')
    await tab.getByLabel('Your current password').fill(ada.password)
    await tab.getByRole('button', { name: 'Go on' }).click()
    await tab.waitForURL((url) => url.pathname === '/settings/security')
    assert.equal(await name.inputValue(), 'Ada’s “phone” & 100 %')
    await tab.getByRole('button', { name: 'Add a passkey' }).click()
    await tab.waitForURL(at('/settings/security?saved=1'))
    assert.ok((await tab.getByRole('rowheader').allTextContents()).includes('Ada’s “phone” & 100 %'))
    await tab.getByText('Remove', { exact: true }).click()
    await tab.getByRole('button', { name: 'Remove passkey' }).click()
    await tab.waitForURL(at('/settings/security?saved=1'))
  })

  test('without script the second step is set up, asked for and switched off', async () => {
    const tab = await site.open({ javaScriptEnabled: false })
    await logInByPassword(tab, '/settings/security')
    await tab.getByRole('link', { name: 'Set up two-step verification' }).click()
    await tab.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor()
    const secret = await tab.getByLabel('Or enter this key').inputValue()
    const codeIn = () =>
      new TOTP({ secret }).generate({ timestamp: site.app.app.control.clock.now().getTime() })
    await tab.getByRole('textbox', { name: 'Code' }).fill('000000')
    await tab.getByRole('button', { name: 'Turn on' }).click()
    await tab.getByRole('alert').waitFor()
    await tab.getByRole('textbox', { name: 'Code' }).fill(codeIn())
    await tab.getByRole('button', { name: 'Turn on' }).click()
    assert.equal(await tab.locator('.recovery-codes li').count(), 10)
    const [recovery = '', another = ''] = await tab.locator('.recovery-codes li').allTextContents()

    await tab.context().clearCookies()
    await logInByPassword(tab, '/settings/security/totp')
    await tab.getByRole('heading', { name: 'Enter your code' }).waitFor()
    await tab.getByRole('textbox', { name: 'Code' }).fill('wrong')
    await tab.keyboard.press('Enter')
    await tab.getByRole('alert').waitFor()
    await tab.getByRole('textbox', { name: 'Code' }).fill(recovery)
    await tab.keyboard.press('Enter')
    await tab.getByText('Recovery codes left: 9.').waitFor()
    await tab.getByRole('textbox', { name: 'Code' }).last().fill(another)
    await tab.getByRole('button', { name: 'Turn off' }).click()
    await tab.getByRole('link', { name: 'Set up two-step verification' }).waitFor()
  })
})

/** What the console says and the policy stops. */
function faultsOf(tab: Page): string[] {
  const faults: string[] = []
  tab.on('console', (message) => faults.push(message.text()))
  tab.on('pageerror', (error) => faults.push(error.message))
  return faults
}
