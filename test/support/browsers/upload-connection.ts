import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { startTestApp, type TestApp } from '../harness.ts'
import { browserPath } from '../needs.ts'
import { statsOf, type TestTenant } from '../uploads.ts'
import { browserArguments } from './browser.ts'
import { startConnection } from './connection.ts'

/** A site behind a line, and a browser that keeps what pages store. */
export async function startSiteBehindConnection() {
  await using undo = new AsyncDisposableStack()
  const connection = undo.use(await startConnection())
  const app = await startTestApp({ environment: { SERVICE_PUBLIC_PORT: String(connection.port) } })
  const servers: TestApp[] = [app]
  undo.defer(async () => {
    for (const server of servers.toReversed()) await server[Symbol.asyncDispose]()
  })
  connection.leadTo(app.port)
  const tenant = await app.tenant('cats')
  const profile = await mkdtemp(join(tmpdir(), 'terrace-browser-'))
  undo.defer(() => rm(profile, { recursive: true, force: true }))
  const openBrowser = async () => {
    const options = { executablePath: browserPath, args: browserArguments }
    const browser = await chromium.launchPersistentContext(profile, options)
    browser.setDefaultTimeout(90_000)
    return browser
  }
  const at = (path: string) => `http://${tenant.hostname}:${connection.port}${path}`
  const dialogs: string[] = []
  const openTab = async (context: BrowserContext, path: string) => {
    const tab = await context.newPage()
    // An open dialog would hold the page, and an error thrown here would belong to no test.
    tab.on('dialog', (dialog) => {
      dialogs.push(`${dialog.type()} on ${tab.url()}`)
      dialog.accept().catch(() => undefined)
    })
    await tab.goto(at(path))
    return tab
  }
  const all = undo.move()
  return {
    connection,
    app,
    tenant,
    openBrowser,
    openTab,
    at,
    /** What the tabs have asked. The leave guard must stay silent once every byte is kept. */
    dialogs: dialogs as readonly string[],
    /** Another server of the installation takes over. */
    async restartServer() {
      connection.cut()
      const next = await startTestApp({ beside: app })
      servers.push(next)
      connection.leadTo(next.port)
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

export async function fileCount(app: TestApp, tenant: TestTenant): Promise<number> {
  return (await statsOf(app, tenant)).files ?? 0
}

/** Waits until the page says of so many files that it may be left. Files are kept one after the other. */
export const areKept = (tab: Page, files: number) =>
  tab
    .getByText('Continues after a reload')
    .nth(files - 1)
    .waitFor()
