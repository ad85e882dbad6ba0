import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { ada, type BrowserSite, startBrowserSite } from '../support/browsers/browser-site.ts'
import { markupStrings } from '../support/fixtures/markup-strings.ts'
import { needing } from '../support/needs.ts'
import { startMailServer } from '../support/servers/mail-server.ts'
import { someInQuick } from '../support/tiers.ts'
import { until } from '../support/until.ts'

const browsing = await needing('chromium')
browsing.describe('accounts in a browser', () => {
  let site: BrowserSite
  let mail: Awaited<ReturnType<typeof startMailServer>>
  beforeAll(async () => {
    mail = await startMailServer()
    const environment = { SERVICE_ENABLE_SIGNUP: '1', SERVICE_SMTP_URL: mail.url }
    site = await startBrowserSite({ environment })
  })
  afterAll(async () => {
    await site?.[Symbol.asyncDispose]()
    await mail?.[Symbol.asyncDispose]()
  })

  test('a person logs in by mouse, is led back, sees who is logged in, and logs out', async () => {
    const tab = await site.open()
    const faults = faultsOf(tab)
    await tab.goto(site.at('/settings/keys?a=1'))
    await tab.getByText('Your connection to this site isn’t encrypted').waitFor()
    await tab.getByLabel('User name or e-mail address').fill('ada@example.com')
    await tab.getByLabel('Password').fill(ada.password)
    await tab.getByLabel('Stay logged in on this device').check()
    await tab.getByRole('button', { name: 'Log in' }).click()
    await tab.waitForURL(site.at('/settings/keys?a=1'))
    const [cookie] = (await tab.context().cookies()).filter(({ name }) => name === 'terrace-session')
    assert.ok((cookie?.expires ?? 0) > 0)
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite, cookie?.path], [true, 'Lax', '/'])

    await tab.getByRole('button', { name: 'Account of ada' }).click()
    await tab.getByRole('link', { name: 'Settings' }).click()
    await tab.waitForURL(site.at('/settings'))
    await tab.getByRole('button', { name: 'Account of ada' }).click()
    await tab.getByRole('button', { name: 'Log out' }).click()
    await tab.waitForURL(site.at('/'))
    await tab.getByRole('link', { name: 'Log in' }).waitFor()
    await tab.goto(site.at('/settings'))
    assert.equal(new URL(tab.url()).pathname, '/login')
    assert.deepEqual(faults, [])
  })

  test('by keyboard alone a wrong password is corrected where the focus is, and a key is made and revoked', async () => {
    const tab = await site.open()
    await tab.goto(site.at('/login?to=/settings/keys'))
    const type = async (...keys: string[]) => {
      for (const key of keys)
        await (key.length > 1 && /^[A-Z]/.test(key) ? tab.keyboard.press(key) : tab.keyboard.type(key))
    }
    await tab.locator('[name=login]:focus').waitFor()
    await type('ada', 'Tab', 'wrong', 'Enter')
    await tab.getByRole('alert').waitFor()
    assert.equal(await tab.getByLabel('User name or e-mail address').inputValue(), 'ada')
    await type(ada.password, 'Enter')
    await tab.waitForURL(site.at('/settings/keys'))

    await focus(tab, 'Name')
    await type('a script', 'Enter')
    const key = await tab.getByLabel('Key', { exact: true }).inputValue()
    assert.match(key, /^trc_\w+$/)
    await focus(tab, 'Revoke: a script')
    await type('Enter')
    await focus(tab, 'Revoke key')
    await type('Enter')
    await tab.waitForURL(site.at('/settings/keys?saved=1'))
    assert.equal(await tab.getByText('a script', { exact: true }).count(), 0)
    const { status } = await site.app.send('GET', '/api/5/me', {
      headers: { host: site.tenant.hostname, 'x-api-key': key },
    })
    assert.equal(status, 401)
  })

  test('without script a person signs up by mail, changes the password and sets a new one by link', async () => {
    const tab = await site.open({ javaScriptEnabled: false })
    const link = async (to: string, subject: RegExp) => {
      const found = () => mail.mails.find((each) => each.to === to && subject.test(each.subject))
      await until(() => found() !== undefined, `a mail to ${to}`)
      return found()?.link ?? ''
    }
    await tab.goto(site.at('/login'))
    await tab.getByRole('main').getByRole('link', { name: 'Sign up' }).click()
    await tab.getByLabel('User name').fill('settings')
    await tab.getByLabel('E-mail address').fill('grace@example.com')
    await tab.getByRole('button', { name: 'Sign up' }).click()
    assert.equal(
      await tab.getByRole('alert').textContent(),
      'This user name is reserved. Choose another one.',
    )
    assert.equal(await tab.getByLabel('E-mail address').inputValue(), 'grace@example.com')
    await tab.getByLabel('User name').fill('grace')
    await tab.getByRole('button', { name: 'Sign up' }).click()
    await tab.getByRole('heading', { name: 'Check your e-mail' }).waitFor()
    await tab.goto(await link('grace@example.com', /Your account/))
    await tab.getByLabel('Password').fill('graces password')
    await tab.getByRole('button', { name: 'Create account' }).click()
    await tab.getByRole('button', { name: 'Account of grace' }).waitFor()

    await tab.goto(site.at('/settings/security'))
    await tab.getByLabel('Your current password').fill('graces password')
    await tab.getByLabel('New password').fill('a second password')
    await tab.getByRole('button', { name: 'Change password' }).click()
    await tab.getByText('Saved.').waitFor()

    await tab.context().clearCookies()
    await tab.goto(site.at('/login'))
    await tab.getByRole('link', { name: 'Forgot your password?' }).click()
    await tab.getByLabel('E-mail address').fill('grace@example.com')
    await tab.getByRole('button', { name: 'Send the link' }).click()
    await tab.goto(await link('grace@example.com', /New password/))
    await tab.getByLabel('New password').fill('a third password')
    await tab.getByRole('button', { name: 'Set password' }).click()
    await tab.getByText('Your password was changed').waitFor()
    await tab.getByLabel('User name or e-mail address').fill('Grace')
    await tab.getByLabel('Password').fill('a third password')
    await tab.getByRole('button', { name: 'Log in' }).click()
    await tab.getByRole('button', { name: 'Account of grace' }).waitFor()
  })

  test('markup in a name runs nowhere and comes back exactly', async () => {
    const tab = await site.open({ as: ada })
    const faults = faultsOf(tab)
    tab.on('dialog', (dialog) => {
      faults.push(dialog.message())
      void dialog.dismiss()
    })
    const fitting = markupStrings.filter((name) => [...name].length <= 64 && name.trim() === name)
    const names = someInQuick(
      fitting.filter((_, index) => index % Math.ceil(fitting.length / 6) === 0),
      2,
    )
    await tab.goto(site.at('/settings/keys'))
    for (const name of names) {
      await tab.getByLabel('Name', { exact: true }).fill(name)
      await tab.getByRole('button', { name: 'Create a key' }).click()
      await tab.getByText('Copy it now. You won’t see it again.').waitFor()
    }
    const shown = await tab.getByRole('rowheader').allTextContents()
    for (const name of names) assert.ok(shown.includes(name), name)
    for (const name of names.slice(0, 2)) {
      const guest = await site.open()
      await guest.goto(site.at('/login'))
      await guest.getByLabel('User name or e-mail address').fill(name)
      await guest.getByLabel('Password').fill('x')
      await guest.keyboard.press('Enter')
      await guest.getByRole('alert').waitFor()
      assert.equal(await guest.getByLabel('User name or e-mail address').inputValue(), name)
    }
    assert.deepEqual(faults, [])
  })

  test('letters as keys and the format of copies follow the account into another browser', async () => {
    const tab = await site.open({ as: ada })
    await tab.goto(site.at('/settings'))
    await tab.getByRole('main').getByLabel('Use single-letter shortcuts').uncheck()
    await tab.getByRole('button', { name: 'Save', exact: true }).click()
    await tab.getByText('Saved.').waitFor()
    await tab.goto(site.at('/settings/uploads'))
    await tab.getByLabel('Format').selectOption('Markdown')
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByText('Saved.').waitFor()
    const other = await site.open({ as: ada })
    await other.goto(site.at('/settings'))
    assert.equal(await other.getByRole('main').getByLabel('Use single-letter shortcuts').isChecked(), false)
    const { keys, format } = (await other.evaluate('({ ...document.body.dataset })')) as Record<
      string,
      string
    >
    assert.deepEqual([keys, format], ['off', 'markdown'])
  })
})

/** What the console says and the policy stops. */
function faultsOf(tab: Page): string[] {
  const faults: string[] = []
  tab.on('console', (message) => faults.push(message.text()))
  tab.on('pageerror', (error) => faults.push(error.message))
  return faults
}

/** Presses Tab until the element of this name has the focus. */
async function focus(tab: Page, name: string): Promise<void> {
  for (let count = 0; count < 80; count += 1) {
    await tab.keyboard.press('Tab')
    const label = await tab.evaluate(`(() => {
      const focused = document.activeElement
      return focused.getAttribute('aria-label') ?? focused.labels?.[0]?.textContent ?? focused.textContent
    })()`)
    if (String(label).trim() === name) return
  }
  throw new Error(`"${name}" is not reached by keyboard`)
}
