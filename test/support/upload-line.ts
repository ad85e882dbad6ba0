import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { browserArguments } from './browser.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { startLine } from './line.ts'
import { browserPath } from './needs.ts'
import { statsOf, type TestTenant } from './uploads.ts'

/** A site behind a line, and a browser that keeps what pages store. */
export async function startPlaceBehindLine() {
  await using undo = new AsyncDisposableStack()
  const line = undo.use(await startLine())
  const app = await startTestApp({ environment: { SERVICE_PUBLIC_PORT: String(line.port) } })
  const servers: TestApp[] = [app]
  undo.defer(async () => {
    for (const server of servers.toReversed()) await server[Symbol.asyncDispose]()
  })
  line.leadTo(app.port)
  const tenant = await app.tenant('cats')
  const profile = await mkdtemp(join(tmpdir(), 'terrace-browser-'))
  undo.defer(() => rm(profile, { recursive: true, force: true }))
  const openBrowser = async () => {
    const options = { executablePath: browserPath, args: browserArguments }
    const browser = await chromium.launchPersistentContext(profile, options)
    browser.setDefaultTimeout(90_000)
    return browser
  }
  const all = undo.move()
  return {
    ...{ line, app, tenant, openBrowser },
    at: (path: string) => `http://${tenant.hostname}:${line.port}${path}`,
    /** Another server of the installation takes over. */
    async restartServer() {
      line.cut()
      const next = await startTestApp({ beside: app })
      servers.push(next)
      line.leadTo(next.port)
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

export async function fileCount(app: TestApp, tenant: TestTenant): Promise<number> {
  return (await statsOf(app, tenant)).files ?? 0
}

export async function openTab(browser: BrowserContext, address: string): Promise<Page> {
  const tab = await browser.newPage()
  // The leave guard must stay silent: every byte is kept.
  tab.on('dialog', (dialog) => assert.fail(dialog.message()))
  await tab.goto(address)
  return tab
}

export const isKept = (tab: Page) => tab.getByText('Goes on after a reload').first().waitFor()
