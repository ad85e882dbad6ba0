import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { browserHeaders } from '../delivered.ts'
import { type StoreKind, startTestApp, type TestApp } from '../harness.ts'
import { logIn } from '../media.ts'
import type { TestTenant } from '../uploads.ts'
import { startBrowser, type TestBrowser } from './browser.ts'

export interface BrowserSite extends AsyncDisposable {
  app: TestApp
  tenant: TestTenant
  browser: TestBrowser
  /** The address of a path of the site. */
  at(path: string): string
  /** A tab of a browser of its own. */
  open(options?: TabOptions): Promise<Page>
}

export interface TabOptions extends BrowserContextOptions {
  /** Logs in as this user; a guest unless told. */
  as?: { login: string; password: string }
}

/** The first administrator of every site of the tests. */
export const ada = { login: 'ada', password: 'a long password' }

/** A site with a browser. */
export async function startBrowserSite(
  options: { store?: StoreKind; environment?: Record<string, string> } = {},
): Promise<BrowserSite> {
  const app = await startTestApp(options)
  const tenant = await app.tenant('cats')
  const browser = await startBrowser()
  const at = (path: string) => `http://${tenant.hostname}:${app.port}${path}`
  return {
    app,
    tenant,
    browser,
    at,
    async open({ as, ...rest } = {}) {
      const context = await browser.newContext({ userAgent: browserHeaders['user-agent'], ...rest })
      await context.addInitScript(keepMessages)
      if (as) await logInBrowser(context, app, tenant, as)
      return context.newPage()
    },
    async [Symbol.asyncDispose]() {
      await browser.close()
      await app[Symbol.asyncDispose]()
    },
  }
}

/** Gives a browser the cookie of a new session. */
export async function logInBrowser(
  context: BrowserContext,
  app: TestApp,
  tenant: TestTenant,
  user: { login: string; password: string } = ada,
): Promise<void> {
  const { headers } = await logIn(app, tenant, { ...user })
  const [name = '', value = ''] = (headers.cookie ?? '').split('=')
  await context.addCookies([{ name, value, domain: tenant.hostname, path: '/', httpOnly: true }])
}

/** What a page says stays until it is answered or something else is said: a slow machine needs more than four seconds to see it. */
const keepMessages = `{
  const { remove } = Element.prototype
  Element.prototype.remove = function () {
    if (window.event || !this.matches('.toast')) remove.call(this)
  }
}`

/** Dialogs, errors and breaches of the policy. */
export function faultsOf(tab: Page): string[] {
  const faults: string[] = []
  tab.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  tab.on('console', (message) => faults.push(message.text()))
  tab.on('pageerror', (error) => faults.push(error.message))
  return faults
}

/** The script has taken the grid over: until then a click on a file opens its page, not the file over its list. */
export const gridTakenOver = (tab: Page): Promise<void> => tab.locator('.tiles.placed').waitFor()

/** What the clipboard holds. */
export async function pasteInto(tab: Page): Promise<string> {
  await tab.evaluate(`(() => {
    const field = document.createElement('textarea')
    field.id = 'pasted'
    document.querySelector('main').append(field)
    field.focus()
  })()`)
  await tab.keyboard.press('Control+V')
  const text = await tab.locator('#pasted').inputValue()
  await tab.evaluate(`document.getElementById('pasted').remove()`)
  return text
}
