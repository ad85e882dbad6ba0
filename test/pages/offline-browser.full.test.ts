import assert from 'node:assert/strict'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { axeFindings } from '../support/browsers/browser-checks.ts'
import { ada, type BrowserSite, faultsOf, startBrowserSite } from '../support/browsers/browser-site.ts'
import { padded } from '../support/clients/resumable.ts'
import { pictureParts, sendPicture } from '../support/fixtures/brand.ts'
import { needing } from '../support/needs.ts'
import { visitAs } from '../support/pages.ts'
import { until } from '../support/until.ts'
import { picture, set, type TestTenant } from '../support/uploads.ts'

const sentence = "You're offline. We'll go on when you're back."

const browsing = await needing('chromium')
browsing.describe('a site as an app', () => {
  let site: BrowserSite
  const at = (path: string, id = 'apps') => `http://${id}.localhost:${site.app.port}${path}`
  beforeAll(async () => {
    site = await startBrowserSite()
    // Browsers run service workers on plain http at names of this machine alone.
    for (const id of ['apps', 'closing']) {
      await site.app.call('POST', 'tenants', { id, hostname: `${id}.localhost`, is_enabled: true })
      const account = { username: 'ada', email: 'ada@example.com', password: ada.password }
      await site.app.call('POST', `tenants/${id}/install`, account)
    }
  })
  afterAll(() => site?.[Symbol.asyncDispose]())

  async function logIn(tab: Page, to = '/upload'): Promise<void> {
    await tab.goto(at(`/login?to=${to}`))
    await tab.getByLabel('User name or e-mail address').fill('ada')
    await tab.getByLabel('Password', { exact: true }).fill(ada.password)
    await tab.getByRole('button', { name: 'Log in', exact: true }).click()
    await tab.waitForURL(at(to))
  }

  /** The worker has taken the page over. */
  const isReady = (tab: Page) =>
    until(
      () => tab.evaluate<boolean>('navigator.serviceWorker.controller !== null'),
      'The worker controls the page',
    )

  const isStored = (tab: Page): Promise<boolean> =>
    tab.evaluate(`new Promise((resolve) => {
      indexedDB.open('terrace-uploads').onsuccess = ({ target: { result } }) => {
        result.transaction('bytes').objectStore('bytes').count().onsuccess = (event) => {
          result.close()
          resolve(event.target.result > 0)
        }
      }
    })`)

  const fileCount = async (): Promise<number> => (await site.app.call('GET', 'tenants/apps')).json.stats.files

  const keptIn = (tab: Page): Promise<string[]> =>
    tab.evaluate(`(async () => {
      const names = await caches.keys()
      const kept = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))
      return kept.flat().map(({ url }) => new URL(url)).map(({ pathname, search }) => pathname + search).sort()
    })()`)

  test('a page that cannot be loaded gives way to one without data of any person, and comes back with the line', async () => {
    const tab = await site.open()
    const faults = faultsOf(tab)
    await logIn(tab, '/settings')
    await isReady(tab)
    const kept = await keptIn(tab)
    assert.equal(kept.length, 3)
    assert.match(String(kept[0]), /^\/-\/offline\?language=en&theme=auto$/)
    for (const path of kept.slice(1)) assert.match(path, /^\/_\/assets\/(site-.*\.css|offline-.*\.js)$/)
    assert.deepEqual(faults, [])

    await tab.context().setOffline(true)
    for (const path of ['/settings', '/mine', '/ada', '/never-seen']) {
      await tab.goto(at(path))
      await tab.getByRole('heading', { name: sentence }).waitFor()
      assert.equal(await tab.getByText('ada').count(), 0)
      assert.equal(await tab.evaluate(`getComputedStyle(document.body).margin`), '0px')
    }
    // Calls and files are the browser's own: they fail.
    for (const path of ['/api/5/me', '/-/upload', '/images/x.png']) {
      const call = `fetch('${path}').then(() => 'answered', () => 'failed')`
      assert.equal(await tab.evaluate(call), 'failed', path)
    }
    await tab.goto(at('/settings'))
    const back = tab.waitForURL(at('/settings'))
    await tab.context().setOffline(false)
    await back
    await tab.getByRole('button', { name: 'Account of ada' }).waitFor()
  })

  test('it is written in the language that was chosen last', async () => {
    const tab = await site.open()
    await tab.goto(at('/login'))
    await isReady(tab)
    await tab.getByRole('button', { name: 'Deutsch' }).click()
    await until(
      async () => (await keptIn(tab)).some((path) => path.includes('language=de')),
      'The German page is kept',
    )
    await tab.context().setOffline(true)
    await tab.goto(at('/explore'))
    await tab.getByRole('heading', { name: 'offline' }).waitFor()
    assert.equal(await tab.locator('html').getAttribute('lang'), 'de')
  })

  test('uploads wait through a reload without a line, and go on with it', async () => {
    const tab = await site.open()
    await logIn(tab)
    await isReady(tab)
    await tab.context().setOffline(true)
    const buffer = await picture({ seed: 1 })
    await tab.getByLabel('Choose files').setInputFiles([{ name: 'a.png', mimeType: 'image/png', buffer }])
    await tab.getByText("You're offline").waitFor()
    await until(() => isStored(tab), 'The bytes are stored')
    await tab.reload()
    await tab.getByRole('heading', { name: sentence }).waitFor()
    await tab.context().setOffline(false)
    await tab.getByRole('button', { name: 'Copy 1 link' }).waitFor()
  })

  test('the worker sends what a page has left, in the name of its owner alone', async () => {
    const tab = await site.open()
    await logIn(tab)
    await isReady(tab)
    await tab.getByRole('heading', { name: 'Drop files anywhere' }).waitFor()
    const leave = async (name: string, seed: number) => {
      await tab.route('**/-/files?**', () => undefined)
      await tab
        .getByLabel('Choose files')
        .setInputFiles([{ name, mimeType: 'image/png', buffer: await picture({ seed }) }])
      await tab.getByText('Continues after a reload').waitFor()
      // A page without the queue.
      await tab.goto(at('/service-worker.js'))
    }
    await leave('left.png', 2)
    await sync(tab.context(), tab)
    await tab.unroute('**/-/files?**')
    await tab.goto(at('/upload'))
    await tab.getByRole('button', { name: 'Copy: left.png' }).waitFor()
    await tab.getByRole('button', { name: 'Clear the list' }).click()

    await leave('not mine.png', 3)
    await tab.context().clearCookies()
    const before = await fileCount()
    await sync(tab.context(), tab)
    assert.equal(await fileCount(), before)
  })

  test('the worker sends a large file in parts', async () => {
    const tab = await site.open()
    await logIn(tab)
    await isReady(tab)
    await tab.route('**/api/5/uploads**', () => undefined)
    const buffer = padded(await picture({ seed: 4 }), 34_000_000)
    const large = { name: 'große Datei.png', mimeType: 'image/png', buffer }
    await tab.getByLabel('Choose files').setInputFiles([large])
    await tab.getByText('Continues after a reload').waitFor()
    await tab.goto(at('/service-worker.js'))
    const before = await fileCount()
    await sync(tab.context(), tab)
    assert.equal(await fileCount(), before + 1)
    await tab.goto(at('/upload'))
    await tab.getByRole('button', { name: 'Copy: große Datei.png' }).waitFor()
  })

  test('it has the logo and the name of the site', async () => {
    const { app } = site
    const apps = { id: 'apps', hostname: 'apps.localhost' } as TestTenant
    await set(app, apps, { site_name: 'Harbour' })
    const staff = await visitAs(app, apps)
    const logo = await picture({ width: 200, height: 60 })
    const saved = await sendPicture(app, apps, staff, { slot: 'logo', parts: pictureParts(logo) })
    assert.equal(saved.status, 303, saved.text)
    const tab = await site.open()
    await tab.goto(at('/login'))
    await isReady(tab)
    await until(
      async () => (await keptIn(tab)).some((path) => path.startsWith('/-/brand/')),
      'The logo is kept',
    )
    await tab.context().setOffline(true)
    await tab.goto(at('/explore'))
    await tab.getByRole('heading', { name: sentence }).waitFor()
    await tab.getByRole('link', { name: 'Harbour' }).getByRole('img').waitFor()
    const width = `document.querySelector('a.brand img').naturalWidth`
    await until(async () => (await tab.evaluate(width)) === 200, 'The logo is drawn')
    assert.deepEqual(await axeFindings(tab), [])
  })

  test('a log-out leaves it nothing to show', async () => {
    const tab = await site.open()
    await logIn(tab, '/settings')
    await isReady(tab)
    await tab.getByRole('button', { name: 'Account of ada' }).click()
    await tab.getByRole('button', { name: 'Log out' }).click()
    await tab.waitForURL(at('/'))
    await tab.context().setOffline(true)
    await tab.goto(at('/settings'))
    await tab.getByRole('heading', { name: sentence }).waitFor()
  })

  test('a server that has no worker any more removes it', async () => {
    const other = await site.open()
    await other.goto(at('/login', 'closing'))
    await isReady(other)
    await other.context().setOffline(true)
    await other.goto(at('/login', 'closing'))
    await other.getByRole('heading', { name: sentence }).waitFor()
    await site.app.call('DELETE', 'tenants/closing')
    await other.context().setOffline(false)
    await until(async () => {
      await other.goto(at('/login', 'closing')).catch(() => undefined)
      const isGone = 'navigator.serviceWorker.getRegistration().then((each) => each === undefined)'
      // The page may be loading itself again.
      return other.evaluate<boolean>(isGone).catch(() => false)
    }, 'The worker has removed itself')
    assert.deepEqual(await keptIn(other), [])
  })
})

/** What the browser does when the connection is back. Ends when the worker does: until then it answers to pages that ask. */
async function sync(context: BrowserContext, tab: Page): Promise<void> {
  const cdp = await context.newCDPSession(tab)
  const found = Promise.withResolvers<string>()
  cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    const [first] = registrations
    if (first) found.resolve(first.registrationId)
  })
  await cdp.send('ServiceWorker.enable')
  const registrationId = await found.promise
  const origin = new URL(tab.url()).origin
  await tab.evaluate(`(() => {
    globalThis.channel = new BroadcastChannel('terrace-uploads')
    globalThis.question = new Promise((resolve) => { channel.onmessage = resolve })
  })()`)
  await cdp.send('ServiceWorker.dispatchSyncEvent', {
    origin,
    registrationId,
    tag: 'uploads',
    lastChance: false,
  })
  await tab.evaluate('question.then(() => undefined)')
  const isAnswered = () =>
    tab.evaluate<boolean>(`new Promise((resolve) => {
      channel.onmessage = () => resolve(true)
      channel.postMessage({ from: 'test', isQuestion: true })
      setTimeout(resolve, 400, false)
    })`)
  await until(async () => !(await isAnswered()), 'The worker is done')
  await tab.evaluate('channel.close()')
  await cdp.detach()
}
