import assert from 'node:assert/strict'
import { test } from 'vitest'
import { startBrowser } from '../../support/browsers/browser.ts'
import { logInBrowser } from '../../support/browsers/browser-site.ts'
import { fileCount, startSiteBehindConnection } from '../../support/browsers/upload-connection.ts'
import { needing } from '../../support/needs.ts'
import { noise } from '../../support/uploads.ts'

const browsing = await needing('chromium')
browsing.describe('the queue', () => {
  test('waits for a line that is cut and a server that is restarted, and stores each file once', {
    timeout: 180_000,
  }, async () => {
    await using site = await startSiteBehindConnection()
    const { connection, app, tenant } = site
    await using own = await startBrowser()
    const browser = await own.newContext()
    await logInBrowser(browser, app, tenant)
    const tab = await site.openTab(browser, '/upload')
    connection.holdAfter(1_000_000)
    const buffer = await noise(800, 800)
    await tab.getByLabel('Choose files').setInputFiles([{ name: 'a.png', mimeType: 'image/png', buffer }])
    await connection.held()
    connection.cut()
    await tab.getByText('The server isn’t responding').waitFor()
    connection.release()
    await site.restartServer()
    connection.mend()
    await tab.getByRole('button', { name: 'Copy 1 link' }).waitFor()
    assert.equal(await fileCount(app, tenant), 1)
    assert.deepEqual(site.dialogs, [])
  })
})
