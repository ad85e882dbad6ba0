import assert from 'node:assert/strict'
import { test } from 'vitest'
import { logInBrowser } from '../../support/browsing.ts'
import { needing } from '../../support/needs.ts'
import { areKept, fileCount, startPlaceBehindLine } from '../../support/upload-line.ts'
import { noise } from '../../support/uploads.ts'

const browsing = await needing('chromium')
browsing.describe('a large file', () => {
  test('is sent in parts, and stored once though its page is reloaded in the middle', {
    timeout: 240_000,
  }, async () => {
    await using place = await startPlaceBehindLine()
    const { line, app, tenant } = place
    const browser = await place.openBrowser()
    await logInBrowser(browser, app, tenant)
    const tab = await place.openTab(browser, '/upload')
    let [parts, partsBefore] = [0, 0]
    tab.on('request', (request) => {
      if (request.method() === 'PATCH') parts += 1
    })
    const buffer = await noise(2_600, 2_600)
    assert.ok(buffer.length > 20_000_000)
    line.holdAfter(17_500_000)
    await tab.getByLabel('Choose files').setInputFiles([{ name: 'large.png', mimeType: 'image/png', buffer }])
    await line.held()
    await areKept(tab, 1)
    line.release()
    line.cut()
    line.mend()
    partsBefore = parts
    await tab.reload()
    await tab.getByRole('button', { name: 'Copy 1 link' }).waitFor()
    assert.ok(parts >= 2, `${parts} parts`)
    // One if the server had not got the end yet; one more if the end came between the question and the part.
    assert.ok(parts - partsBefore <= 2, `${parts - partsBefore} parts after the reload`)
    assert.equal(await fileCount(app, tenant), 1)
    assert.deepEqual(place.dialogs, [])
    await browser.close()
  })
})
