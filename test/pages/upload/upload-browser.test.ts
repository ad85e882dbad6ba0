import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { ada, type BrowserSite, pasteInto, startBrowserSite } from '../../support/browsers/browser-site.ts'
import { needing } from '../../support/needs.ts'
import { picture, set } from '../../support/uploads.ts'

const png = async (name: string, seed: number, size = { width: 40, height: 30 }) => ({
  name,
  mimeType: 'image/png',
  buffer: await picture({ seed, ...size }),
})

const browsing = await needing('chromium')
browsing.describe('the upload page', () => {
  let site: BrowserSite
  beforeAll(async () => {
    site = await startBrowserSite()
    await set(site.app, site.tenant, { enable_guest_page_uploads: '1', enable_svg: '0' })
  })
  afterAll(() => site?.[Symbol.asyncDispose]())

  /** Every message of the console and every stopped part fails the test. */
  async function openPage(path: string, as?: typeof ada): Promise<{ tab: Page; faults: string[] }> {
    const tab = await site.open(as ? { as } : {})
    const faults: string[] = []
    tab.on('console', (message) => faults.push(message.text()))
    tab.on('pageerror', (error) => faults.push(String(error)))
    await tab.goto(site.at(path))
    return { tab, faults }
  }

  test('is the front page: a member chooses files, gets their links, and a reload keeps them', async () => {
    const { tab, faults } = await openPage('/', ada)
    await tab.getByRole('heading', { name: 'Drop files anywhere' }).waitFor()
    await tab.getByLabel('Title').fill('A <b>cat</b>')
    await tab.getByLabel('Tags').fill('harbour, dusk')
    await tab.getByLabel('Or create a new album').fill('Winter')
    const size = { width: 1200, height: 800 }
    await tab
      .getByLabel('Choose files')
      .setInputFiles([await png('one.png', 1, size), await png('two.png', 2, size)])
    const copyAll = tab.getByRole('button', { name: 'Copy 2 links' })
    await copyAll.waitFor()
    assert.equal(
      await tab.getByLabel('Album', { exact: true }).locator('option:checked').textContent(),
      'Winter',
    )

    await tab.getByText('Markdown', { exact: true }).click()
    await tab.getByText('Medium', { exact: true }).click()
    await copyAll.click()
    await tab.getByRole('status').filter({ hasText: 'Copied' }).waitFor()
    await tab.reload()
    await copyAll.waitFor()
    assert.ok(await tab.getByLabel('Markdown').isChecked())
    // As the page of the first file has it.
    const pasted = await pasteInto(tab)
    await tab.getByRole('listitem').first().getByRole('link').click()
    await tab.locator('.copy-bar > button').click()
    const [first, second, ...rest] = pasted.split('\n')
    assert.equal(await pasteInto(tab), first)
    assert.match(String(second), /^\[!\[A \\<b\\>cat/)
    assert.deepEqual(rest, [])
    assert.deepEqual(faults, [])
  })

  test('takes guests without a key, and keeps their delete links at /mine', async () => {
    const { tab, faults } = await openPage('/upload')
    await tab.getByLabel('Choose files').setInputFiles([await png('guest.png', 3)])
    await tab.getByRole('button', { name: 'Copy 1 link' }).waitFor()
    await tab.getByRole('link', { name: 'My uploads' }).click()
    await tab.getByRole('link', { name: 'Delete: guest' }).click()
    await tab.getByRole('button', { name: 'Delete for good' }).click()
    await tab.goto(site.at('/mine'))
    await tab.getByRole('heading', { name: 'No uploads in this browser yet' }).waitFor()
    assert.deepEqual(
      faults.filter((fault) => !fault.includes('404')),
      [],
    )
  })

  test('says why a file is refused, and sends the others', async () => {
    const { tab } = await openPage('/upload', ada)
    await tab
      .getByLabel('Choose files')
      .setInputFiles([
        { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no picture') },
        { name: 'empty.png', mimeType: 'image/png', buffer: Buffer.alloc(0) },
        await png('fine "><script>alert(1)</script>.png', 4),
      ])
    await tab.getByRole('button', { name: 'Copy 1 link' }).waitFor()
    await tab.getByText('2 not accepted').waitFor()
    const rows = await tab
      .getByRole('listitem')
      .filter({ has: tab.locator('.queue-name') })
      .allTextContents()
    assert.match(String(rows[0]), /^notes\.txt10 B.*(type|kind|format)/i)
    assert.match(String(rows[1]), /^empty\.pngThis file is empty/)
    assert.match(String(rows[2]), /^fine "><script>alert\(1\)<\/script>\.png/)
    await tab.getByRole('button', { name: 'Remove from the list: notes.txt' }).click()
    await tab.getByText('1 not accepted').waitFor()
  })

  test('is led by the keyboard alone', async () => {
    const { tab } = await openPage('/explore', ada)
    await tab.keyboard.press('u')
    await tab.waitForURL(site.at('/upload'))
    const [chooser] = await Promise.all([
      tab.waitForEvent('filechooser'),
      tab.getByLabel('Choose files').press('Enter'),
    ])
    await chooser.setFiles([await png('by key.png', 5)])
    await tab.getByRole('button', { name: 'Copy 1 link' }).waitFor()
    await tab.locator('main').focus()
    await tab.keyboard.press('Shift+C')
    await tab.getByRole('status').filter({ hasText: 'Copied' }).waitFor()
    assert.match(await pasteInto(tab), /^http:\/\/cats\.test:\d+\/images\/.*by-?_?%?2?0?key\.png$/)
  })

  test('without script it is a form, whose answer has every link', async () => {
    const tab = await site.open({ javaScriptEnabled: false })
    await tab.goto(site.at('/'))
    await tab.getByRole('heading', { name: 'Upload pictures and videos' }).waitFor()
    await tab.getByLabel('Title').fill('Plain & simple')
    await tab
      .getByLabel('Choose files')
      .setInputFiles([
        await png('plain 1.png', 6),
        { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no picture') },
        await png('plain 2.png', 7),
      ])
    await tab.getByRole('button', { name: 'Upload', exact: true }).click()
    await tab.getByRole('heading', { name: '2 files uploaded' }).waitFor()
    await tab.getByText('Save the delete links').waitFor()
    await tab.getByText('Not uploaded: notes.txt').waitFor()
    const links = (await tab.getByLabel('Direct link').last().inputValue()).split('\n')
    assert.equal(links.length, 2)
    const [deletion = ''] = await Promise.all([tab.getByLabel('Delete link').first().inputValue()])
    await tab.goto(deletion)
    await tab.getByRole('button', { name: 'Delete for good' }).click()
    assert.equal((await tab.goto(String(links[0])))?.status(), 404)
  })
})
