import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page, Response } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { ada, type BrowserSite, startBrowserSite } from '../../support/browsers/browser-site.ts'
import { needing } from '../../support/needs.ts'
import { fewInQuick } from '../../support/tiers.ts'
import { until } from '../../support/until.ts'
import { picture } from '../../support/uploads.ts'

/** Files as a person drops or pastes them: their bytes in Base64. */
const fire = (tab: Page, event: 'drop' | 'paste', given: { files?: Record<string, string>; text?: string }) =>
  tab.evaluate(`(() => {
    const transfer = new DataTransfer()
    for (const [name, bytes] of Object.entries(${JSON.stringify(given.files ?? {})}))
      transfer.items.add(new File([Uint8Array.from(atob(bytes), (each) => each.charCodeAt(0))], name, { type: 'image/png' }))
    if (${given.text !== undefined}) transfer.setData('text/plain', ${JSON.stringify(given.text ?? '')})
    const common = { bubbles: true, cancelable: true }
    document.body.dispatchEvent('${event}' === 'drop'
      ? new DragEvent('drop', { ...common, dataTransfer: transfer })
      : new ClipboardEvent('paste', { ...common, clipboardData: transfer }))
  })()`)

const browsing = await needing('chromium')
browsing.describe('uploads of any page', () => {
  let site: BrowserSite
  let pictureUrl: string
  const other = createServer(async (_, response) => response.end(await picture({ seed: 3 })))
  beforeAll(async () => {
    other.listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    pictureUrl = `http://127.0.0.1:${port}/far.png`
    site = await startBrowserSite({ environment: { SERVICE_UPLOAD_URL_ALLOW: `127.0.0.1:${port}` } })
  })
  afterAll(async () => {
    await site?.[Symbol.asyncDispose]()
    other.close()
  })

  test('a drop and a paste open the dock, and the upload page has its links', async () => {
    const tab = await site.open({ as: ada })
    await tab.goto(site.at('/albums'))
    await fire(tab, 'drop', { files: { 'dropped.png': (await picture({ seed: 1 })).toString('base64') } })
    const dock = tab.getByRole('region', { name: 'Uploads' })
    await dock.getByRole('button', { name: 'Copy: dropped.png' }).waitFor()
    await fire(tab, 'paste', { files: { 'pasted.png': (await picture({ seed: 2 })).toString('base64') } })
    await dock.getByRole('button', { name: 'Copy 2 links' }).waitFor()
    for (const size of [
      { width: 1280, height: 800 },
      { width: 390, height: 800 },
    ]) {
      await tab.setViewportSize(size)
      await dock.getByRole('button', { name: 'Copy 2 links' }).click()
      // The message of the other width gives way to this one: the first look may meet neither.
      await until(async () => {
        const [one, two] = [await tab.locator('.toast').boundingBox(), await dock.boundingBox()]
        if (!one || !two) return false
        return one.x + one.width <= two.x || one.y + one.height <= two.y
      }, `The toast is shown beside the dock at ${size.width}`)
    }
    await tab.setViewportSize({ width: 1280, height: 800 })
    await dock.getByRole('button', { name: 'Minimise', exact: true }).click()
    await dock.getByRole('button', { name: 'Copy 2 links' }).waitFor({ state: 'hidden' })
    await dock.getByRole('link', { name: 'Upload page' }).click()
    await tab.getByRole('button', { name: 'Copy 2 links' }).waitFor()
    await tab.getByRole('button', { name: 'Clear the list' }).click()
    await tab.reload()
    await tab.getByRole('heading', { name: 'Drop files anywhere' }).waitFor()
    assert.equal(await tab.locator('.queue-row').count(), 0)
  })

  test('the dock shows its rows though its stylesheet comes after them', async () => {
    const tab = await site.open({ as: ada, viewport: { width: 390, height: 300 } })
    await tab.goto(site.at('/settings/apps'))
    const isDrawn = Promise.withResolvers<void>()
    await tab.route('**/upload-*.css', async (route) => {
      await isDrawn.promise
      await route.continue()
    })
    await fire(tab, 'drop', { files: { 'late.png': (await picture({ seed: 4 })).toString('base64') } })
    await tab.getByText('1 done.').waitFor()
    isDrawn.resolve()
    await tab.getByRole('button', { name: 'Copy: late.png' }).waitFor()
    await tab.getByRole('button', { name: 'Clear the list' }).click()
  })

  test('the page and the dock begin with what the account has chosen', async () => {
    const tab = await site.open({ as: ada })
    await tab.goto(site.at('/settings/uploads'))
    await tab.getByLabel('Sensitive content').check()
    await tab.getByLabel('Delete after').selectOption('P1W')
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.waitForURL(/saved=1/)
    const answered = tab.waitForResponse(/\/-\/files/)
    await fire(tab, 'drop', { files: { 'week.png': (await picture({ seed: 9 })).toString('base64') } })
    const sent = await answered
    const { is_nsfw, expires_at, created_at } = (await sent.json()) as Record<string, string>
    assert.equal(String(is_nsfw), 'true')
    const days = (Date.parse(expires_at ?? '') - Date.parse(created_at ?? '')) / 86_400_000
    assert.equal(Math.round(days), 7)
    await tab.goto(site.at('/upload'))
    assert.equal(await tab.locator('[name=expiration]').inputValue(), 'P1W')
    assert.equal(await tab.locator('[name=nsfw]').isChecked(), true)
    await tab.goto(site.at('/settings/uploads'))
    await tab.getByLabel('Sensitive content').uncheck()
    await tab.getByLabel('Delete after').selectOption('')
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.waitForURL(/saved=1/)
  })

  test('a pasted address is fetched by the server; a text in a field stays a text', async () => {
    const tab = await site.open({ as: ada })
    await tab.goto(site.at('/upload'))
    await fire(tab, 'paste', { text: pictureUrl })
    await tab.getByRole('button', { name: 'Copy 1 link' }).waitFor()
    await tab.getByText('From a link').click()
    await tab.getByLabel('Link to a picture or video').fill('ftp://nowhere')
    await tab.getByRole('button', { name: 'Add', exact: true }).click()
    assert.equal(await tab.locator('.queue-row').count(), 1)
  })

  test('a guest of a site without guests is asked to log in', async () => {
    const tab = await site.open()
    await tab.goto(site.at('/'))
    await tab.getByRole('heading', { name: 'cats.test' }).waitFor()
    await tab.getByLabel('User name or e-mail address').fill(ada.login)
    await tab.getByLabel('Password').fill(ada.password)
    await tab.getByRole('button', { name: 'Log in' }).click()
    await tab.getByRole('heading', { name: 'Drop files anywhere' }).waitFor()
  })

  test.for(fewInQuick([500, 5_000], 1))(
    '%d files stay a short list of rows, in any place of it',
    async (count) => {
      const tab = await site.open({ as: ada })
      await tab.goto(site.at('/upload'), { waitUntil: 'networkidle' })
      await tab.context().setOffline(true)
      await tab.evaluate(`(() => {
      const transfer = new DataTransfer()
      for (let number = 0; number < ${count}; number += 1) transfer.items.add(new File(['x'], 'file ' + number + '.png'))
      const field = document.querySelector('input[type=file]')
      field.files = transfer.files
      field.dispatchEvent(new Event('change', { bubbles: true }))
    })()`)
      await tab.getByRole('heading', { name: `${count.toLocaleString('en')} files` }).waitFor()
      await tab.getByText("You're offline").waitFor()
      await tab.evaluate(`scrollTo(0, 100000000)`)
      const last = tab.getByText(`file ${count - 1}.png`)
      await last.waitFor()
      const rows = await tab.locator('.queue-row').count()
      assert.ok(rows <= 40, `${rows} rows`)
      await tab.getByRole('button', { name: 'Cancel all' }).click()
      await last.waitFor({ state: 'hidden' })
      assert.equal(await tab.locator('.queue-row').count(), 0)
    },
  )

  test('the leave guard speaks if the browser cannot keep the files', async () => {
    const tab = await site.open({ as: ada })
    await tab.addInitScript(`Object.defineProperty(globalThis, 'indexedDB', { value: undefined })`)
    await tab.goto(site.at('/upload'))
    await tab.route('**/-/files?**', () => undefined)
    const buffer = await picture({ seed: 4 })
    await tab.getByLabel('Choose files').setInputFiles([{ name: 'a.png', mimeType: 'image/png', buffer }])
    await tab.getByText('Keep this page open').waitFor()
    await tab.locator('main').click()
    const asked = tab.waitForEvent('dialog')
    void tab.reload().catch(() => undefined)
    const dialog = await asked
    assert.equal(dialog.type(), 'beforeunload')
    await dialog.accept()
  })

  test('a page that says so goes on after a reload, though its row does not say yet that the bytes are kept', async () => {
    const tab = await site.open({ as: ada })
    const dialogs: string[] = []
    tab.on('dialog', (dialog) => {
      dialogs.push(dialog.type())
      dialog.accept().catch(() => undefined)
    })
    await tab.goto(site.at('/upload'))
    // The transaction that stores the row does not end before the first page does.
    await tab.evaluate(`(() => {
      const put = IDBObjectStore.prototype.put
      IDBObjectStore.prototype.put = function (value) {
        const stay = () => (this.count().onsuccess = stay)
        if (this.name === 'rows' && value.isKept) stay()
        return put.call(this, value)
      }
    })()`)
    await tab.route('**/-/files?**', () => undefined)
    const buffer = await picture({ seed: 5 })
    await tab.getByLabel('Choose files').setInputFiles([{ name: 'a.png', mimeType: 'image/png', buffer }])
    const promise = tab.getByText('Continues after a reload')
    await promise.waitFor()
    await tab.reload()
    await promise.waitFor()
    assert.deepEqual(dialogs, [])
  })

  test('loads few bytes of script, and no policy is broken', async () => {
    const tab = await site.open({ as: ada })
    const bytesOf = async (path: string, isReady = async () => {}) => {
      const sizes: Promise<number>[] = []
      const count = (response: Response) => {
        if (response.request().resourceType() === 'script')
          sizes.push(
            response
              .request()
              .sizes()
              .then(({ responseBodySize }) => responseBodySize),
          )
      }
      tab.on('response', count)
      await tab.goto(site.at(path), { waitUntil: 'networkidle' })
      await isReady()
      tab.off('response', count)
      return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
    }
    const cdp = await tab.context().newCDPSession(tab)
    await cdp.send('Network.setCacheDisabled', { cacheDisabled: true })
    const isTakenOver = () =>
      tab.getByRole('button', { name: 'Upload', exact: true }).waitFor({ state: 'hidden' })
    const [any, upload] = [await bytesOf('/albums'), await bytesOf('/upload', isTakenOver)]
    assert.ok(any > 500 && any <= 3_000, `${any} bytes on any page`)
    assert.ok(upload > any && upload <= 18_000, `${upload} bytes on the upload page`)
  })
})
