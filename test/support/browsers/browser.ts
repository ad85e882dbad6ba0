import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core'
import { browserPath } from '../needs.ts'

/** So that a browser finds every site of the tests on this machine. */
export const browserArguments = [
  '--no-sandbox',
  '--disable-gpu',
  // Without it Chromium on Linux does not know `bluetooth` in our permissions policy, and says so on every page.
  '--enable-features=WebBluetooth',
  '--host-resolver-rules=MAP *.test 127.0.0.1',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

export async function launchBrowser(): Promise<Browser> {
  // Loaded late: most tests start no browser.
  const { chromium } = await import('playwright-core')
  return chromium.launch({ executablePath: browserPath, args: browserArguments })
}

export interface TestBrowser extends Pick<Browser, 'newContext' | 'newPage' | 'close'>, AsyncDisposable {}

let ofWorker: Promise<Browser> | undefined

/**
 * A share of this worker's Chromium, which takes a second of CPU to start. Its contexts keep their cookies, storage and
 * caches to themselves, and are closed with the share; the browser ends with the worker.
 */
export async function startBrowser(): Promise<TestBrowser> {
  if (ofWorker && !(await ofWorker).isConnected()) ofWorker = undefined
  ofWorker ??= launchBrowser()
  const browser = await ofWorker
  const contexts: BrowserContext[] = []
  const newContext = async (options?: BrowserContextOptions) => {
    const context = await browser.newContext(options)
    // Half a minute, which is Playwright's default, is not enough on a machine with a load of ten.
    context.setDefaultTimeout(90_000)
    contexts.push(context)
    return context
  }
  const close = async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()))
  }
  return {
    newContext,
    close,
    newPage: async (options) => (await newContext(options)).newPage(),
    [Symbol.asyncDispose]: close,
  }
}
