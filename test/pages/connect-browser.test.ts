import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { ada, type BrowserSite, startBrowserSite } from '../support/browsers/browser-site.ts'
import { addProvider } from '../support/clients/connecting.ts'
import { needing } from '../support/needs.ts'
import { type LoginProvider, startLoginProvider } from '../support/servers/login-provider.ts'

const markup = '<img src=x onerror=alert(1)>'

const browsing = await needing('chromium')
browsing.describe('log-in by a provider in a browser', () => {
  let site: BrowserSite
  let login: LoginProvider
  beforeAll(async () => {
    login = await startLoginProvider()
    login.asks = true
    const environment = { SERVICE_LOGIN_PROVIDER_ALLOW: login.allow, SERVICE_ENABLE_SIGNUP: '1' }
    site = await startBrowserSite({ environment })
    await addProvider(site.app, site.tenant, login, { name: 'work', fields: { title: `Work ${markup}` } })
  })
  afterAll(async () => {
    await site?.[Symbol.asyncDispose]()
    await login?.[Symbol.asyncDispose]()
  })

  /** By the button, and by the log-in there. */
  async function passBy(tab: Page, button: string) {
    await tab.getByRole('link', { name: `${button} Work ${markup}` }).click()
    await tab.getByRole('link', { name: 'It is me' }).click()
  }

  test('a person signs up by mouse, logs in again, and no policy stands in the way', async () => {
    login.person = { sub: 'new', email: 'new@example.com', email_verified: true, name: markup }
    const tab = await site.open()
    const faults = faultsOf(tab)
    await tab.goto(site.at('/signup'))
    await passBy(tab, 'Sign up with')
    await tab.getByLabel('User name').fill('newcomer')
    await tab.getByRole('button', { name: 'Sign up' }).click()
    await tab.waitForURL(site.at('/'))

    await tab.goto(site.at('/settings/security'))
    await tab.getByRole('heading', { name: 'Set a password' }).waitFor()
    await tab.getByRole('row', { name: 'new@example.com' }).waitFor()

    await tab.context().clearCookies()
    await tab.goto(site.at('/login?to=/settings'))
    await passBy(tab, 'Log in with')
    await tab.waitForURL(site.at('/settings'))
    assert.deepEqual(faults, [])
  })

  test('without script ada connects an account, logs in by it, and disconnects it', async () => {
    login.person = { sub: 'ada-there', email: 'ada@work.example', email_verified: true }
    const tab = await site.open({ as: ada, javaScriptEnabled: false })
    await tab.goto(site.at('/settings/security'))
    await tab.getByRole('link', { name: `Connect Work ${markup}` }).click()
    await tab.getByRole('link', { name: 'It is me' }).click()
    await tab.getByRole('button', { name: 'Connect account' }).click()
    await tab.waitForURL(site.at('/settings/security?saved=1'))

    await tab.context().clearCookies()
    await tab.goto(site.at('/login?to=/settings/security'))
    await passBy(tab, 'Log in with')
    await tab.waitForURL(site.at('/settings/security'))
    await tab.getByText('Disconnect', { exact: true }).first().click()
    await tab.getByRole('button', { name: 'Disconnect' }).click()
    await tab.waitForURL(site.at('/settings/security?saved=1'))
    await tab.getByText('Not connected').waitFor()
  })
})

/** What the browser complains of at pages of the site; the provider's own page has no icon. */
function faultsOf(tab: Page): string[] {
  const faults: string[] = []
  tab.on('pageerror', ({ message }) => faults.push(message))
  tab.on('dialog', (dialog) => faults.push(`dialog ${dialog.message()}`))
  tab.on('console', (message) => {
    const isOfSite = tab.url().includes('.test')
    if (isOfSite && /policy|refused to|violat/i.test(message.text())) faults.push(message.text())
  })
  return faults
}
