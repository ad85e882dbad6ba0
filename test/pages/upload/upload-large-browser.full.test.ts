import assert from 'node:assert/strict'
import { test } from 'vitest'
import { logInBrowser } from '../../support/browsers/browser-site.ts'
import { areKept, fileCount, startSiteBehindConnection } from '../../support/browsers/upload-connection.ts'
import { padded } from '../../support/clients/resumable.ts'
import { needing } from '../../support/needs.ts'
import { until } from '../../support/until.ts'
import { noise, picture } from '../../support/uploads.ts'

const browsing = await needing('chromium')
browsing.describe('a large file', () => {
  test('is sent in parts, and stored once though its page is reloaded in the middle', {
    timeout: 240_000,
  }, async () => {
    await using site = await startSiteBehindConnection()
    const { connection, app, tenant } = site
    const browser = await site.openBrowser()
    await logInBrowser(browser, app, tenant)
    const tab = await site.openTab(browser, '/upload')
    let [parts, partsBefore] = [0, 0]
    tab.on('request', (request) => {
      if (request.method() === 'PATCH') parts += 1
    })
    const buffer = await noise(2_600, 2_600)
    assert.ok(buffer.length > 20_000_000)
    connection.holdAfter(17_500_000)
    await tab.getByLabel('Choose files').setInputFiles([{ name: 'large.png', mimeType: 'image/png', buffer }])
    await connection.held()
    await areKept(tab, 1)
    connection.release()
    connection.cut()
    connection.mend()
    partsBefore = parts
    await tab.reload()
    await tab.getByRole('button', { name: 'Copy 1 link' }).waitFor()
    assert.ok(parts >= 2, `${parts} parts`)
    // One if the server had not got the end yet; one more if the end came between the question and the part.
    assert.ok(parts - partsBefore <= 2, `${parts - partsBefore} parts after the reload`)
    assert.equal(await fileCount(app, tenant), 1)
    assert.deepEqual(site.dialogs, [])
    await browser.close()
  })

  test('whose server makes the file is waited for, however often the page has to ask', async () => {
    await using site = await startSiteBehindConnection()
    const { app, tenant } = site
    const browser = await site.openBrowser()
    await logInBrowser(browser, app, tenant)
    const tab = await browser.newPage()
    await tab.clock.install()
    let asked = 0
    let isSent = false
    await tab.route('**/api/5/uploads/*', async (route) => {
      const method = route.request().method()
      if (method === 'PATCH' && asked === 0) {
        isSent = true
        return route.abort()
      }
      if (method !== 'HEAD' || asked === questions) return route.continue()
      asked += 1
      const headers = { 'tus-resumable': '1.0.0', 'upload-offset': '0', 'upload-length': '17000000' }
      return route.fulfill({ status: 200, headers: { ...headers, 'retry-after': '1' } })
    })
    await tab.goto(site.at('/upload'))
    const buffer = padded(await picture({ format: 'jpeg' }), 17_000_000)
    await tab
      .getByLabel('Choose files')
      .setInputFiles([{ name: 'large.jpg', mimeType: 'image/jpeg', buffer }])
    await until(async () => {
      await tab.clock.runFor(1_000)
      return isSent
    }, 'the first part is sent')
    const copy = tab.getByRole('button', { name: 'Copy 1 link' })
    await until(async () => {
      await tab.clock.runFor(60_000)
      return copy.isVisible()
    }, 'the file is stored')
    assert.equal(asked, questions)
    assert.equal(await fileCount(app, tenant), 1)
    await browser.close()
  })
})

/** More often than a file is tried that fails. */
const questions = 9
