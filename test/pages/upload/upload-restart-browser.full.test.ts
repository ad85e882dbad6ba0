import assert from 'node:assert/strict'
import { test } from 'vitest'
import { logInBrowser } from '../../support/browsers/browser-site.ts'
import { areKept, fileCount, startSiteBehindConnection } from '../../support/browsers/upload-connection.ts'
import { needing } from '../../support/needs.ts'
import { noise } from '../../support/uploads.ts'

const browsing = await needing('chromium')
browsing.describe('the queue', () => {
  test('goes on after a reload, on another page, and after a restart of the browser', {
    timeout: 180_000,
  }, async () => {
    await using site = await startSiteBehindConnection()
    const { connection, app, tenant } = site
    const browser = await site.openBrowser()
    await logInBrowser(browser, app, tenant)
    const tab = await site.openTab(browser, '/upload')
    connection.holdAfter(1_000_000)
    const buffer = await noise(800, 800)
    const chosen = ['a', 'b'].map((name) => ({ name: `${name}.png`, mimeType: 'image/png', buffer }))
    await tab.getByLabel('Choose files').setInputFiles(chosen)
    await connection.held()
    await areKept(tab, chosen.length)
    await tab.reload()
    await areKept(tab, chosen.length)
    await tab.goto(site.at('/albums'))
    await tab.getByRole('region', { name: 'Uploads' }).waitFor()
    await areKept(tab, chosen.length)
    await browser.close()

    connection.release()
    const again = await site.openBrowser()
    // The cookie of a session ends with the browser, the queue of its user does not.
    await logInBrowser(again, app, tenant)
    const page = await site.openTab(again, '/albums')
    await page.getByRole('button', { name: 'Copy 2 links' }).waitFor()
    assert.equal(await fileCount(app, tenant), 2)
    assert.deepEqual(site.dialogs, [])
    await again.close()
  })
})
