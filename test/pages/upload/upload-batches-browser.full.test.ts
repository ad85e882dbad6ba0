import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { ada, type BrowserSite, startBrowserSite } from '../../support/browsers/browser-site.ts'
import { needing } from '../../support/needs.ts'
import { until } from '../../support/until.ts'
import { picture, set } from '../../support/uploads.ts'

const png = async (name: string, seed: number) => ({
  name,
  mimeType: 'image/png',
  buffer: await picture({ seed }),
})

/** Drops files on the page, or pastes a text. */
const give = (tab: Page, given: { files: Awaited<ReturnType<typeof png>>[] } | { text: string }) =>
  tab.evaluate(`(() => {
    const transfer = new DataTransfer()
    for (const { name, bytes } of ${JSON.stringify('files' in given ? given.files.map(({ name, buffer }) => ({ name, bytes: buffer.toString('base64') })) : [])})
      transfer.items.add(new File([Uint8Array.from(atob(bytes), (each) => each.charCodeAt(0))], name, { type: 'image/png' }))
    const text = ${JSON.stringify('text' in given ? given.text : '')}
    if (text) transfer.setData('text/plain', text)
    const common = { bubbles: true, cancelable: true }
    document.body.dispatchEvent(text
      ? new ClipboardEvent('paste', { ...common, clipboardData: transfer })
      : new DragEvent('drop', { ...common, dataTransfer: transfer }))
  })()`)

const browsing = await needing('chromium')
browsing.describe('batches of uploads', () => {
  let site: BrowserSite
  beforeAll(async () => {
    site = await startBrowserSite()
    await set(site.app, site.tenant, { enable_guest_page_uploads: '1' })
  })
  afterAll(() => site?.[Symbol.asyncDispose]())

  const saying = (tab: Page, text: string) => tab.getByRole('status').filter({ hasText: text }).waitFor()

  test('the notice counts the files of this batch, and only those are copied when done', async () => {
    const tab = await site.open({ as: ada })
    await tab.goto(site.at('/upload'))
    const choose = tab.getByLabel('Choose files')
    await choose.setInputFiles([await png('a.png', 1), await png('b.png', 2), await png('c.png', 3)])
    await saying(tab, '3 files uploaded.')
    await tab.getByRole('switch', { name: 'Copy when done' }).check()
    await choose.setInputFiles([await png('d.png', 4)])
    await saying(tab, '1 file uploaded. Links copied.')
    await tab.getByRole('button', { name: 'Copy 4 links' }).waitFor()
    await choose.setInputFiles([
      await png('e.png', 5),
      { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no picture') },
    ])
    await tab.getByText('1 not accepted').waitFor()
    await saying(tab, '1 file uploaded.')
  })

  test('the dock opens on the new rows', async () => {
    const tab = await site.open({ as: ada, viewport: { width: 1280, height: 700 } })
    await tab.goto(site.at('/upload'))
    const old = await Promise.all(
      Array.from({ length: 8 }, (_, index) => png(`old ${index}.png`, 10 + index)),
    )
    await tab.getByLabel('Choose files').setInputFiles(old)
    await saying(tab, '8 files uploaded.')
    await tab.goto(site.at('/albums'))
    await give(tab, { files: [await png('new.png', 20)] })
    const dock = tab.getByRole('region', { name: 'Uploads' })
    await dock.getByRole('heading', { name: '1 file' }).waitFor()
    await dock.getByRole('button', { name: 'Copy 1 link' }).waitFor()
    await saying(tab, '1 file uploaded.')
    // A long list on the same page is scrolled to what comes.
    await give(tab, { files: await Promise.all(old.map((_, index) => png(`more ${index}.png`, 30 + index))) })
    await saying(tab, '8 files uploaded.')
    await give(tab, { files: [await png('newest.png', 40)] })
    await saying(tab, '1 file uploaded.')
    const [row, panel] = [dock.getByText('newest.png'), dock]
    await until(async () => {
      const [one, two] = [await row.boundingBox(), await panel.boundingBox()]
      return one !== null && two !== null && one.y > two.y && one.y + one.height < two.y + two.height
    }, 'The newest row is in sight')
    // The upload page still has them all.
    await tab.goto(site.at('/upload'))
    await tab.getByRole('button', { name: 'Copy 18 links' }).waitFor()
  })

  test('a file that the browser cannot show has an icon, and formats come with the first link', async () => {
    const tab = await site.open({ as: ada })
    await tab.goto(site.at('/upload'))
    await tab.route('**/-/files?**', () => undefined)
    const odd = { mimeType: 'image/avif', buffer: Buffer.from('not a picture at all') }
    await tab
      .getByLabel('Choose files')
      .setInputFiles([
        { name: 'photo.heic', mimeType: 'image/heic', buffer: odd.buffer },
        { name: 'broken.avif', ...odd },
        await png('fine.png', 50),
      ])
    const rowOf = (name: string) => tab.getByRole('listitem').filter({ hasText: name })
    await rowOf('fine.png').locator('img').waitFor()
    for (const name of ['photo.heic', 'broken.avif']) {
      await rowOf(name).locator('.queue-picture svg').waitFor()
      assert.equal(await rowOf(name).locator('img').count(), 0)
    }
    assert.equal(await tab.getByRole('radio', { name: 'Markdown' }).count(), 0)
    assert.equal(await tab.getByRole('button', { name: 'Format' }).count(), 0)
  })

  test('guests hear of links only where they may use them', async () => {
    const tab = await site.open({ locale: 'de' })
    const refused = 'Uploads per Link sind hier nicht möglich'
    await tab.goto(site.at('/upload'))
    const zone = tab.locator('.drop-zone')
    assert.doesNotMatch((await zone.textContent()) ?? '', /Link/)
    const sent: string[] = []
    tab.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.url())
    })
    await give(tab, { text: 'https://example.com/cat.jpg' })
    await tab.getByRole('listitem').filter({ hasText: refused }).waitFor()
    await tab.goto(site.at('/albums'))
    await give(tab, { text: 'https://example.com/cat.jpg' })
    await tab.getByRole('region', { name: 'Uploads' }).getByText(refused).waitFor()
    assert.deepEqual(sent, [])
    await set(site.app, site.tenant, { enable_guest_url_uploads: '1' })
    await tab.goto(site.at('/upload'))
    await zone.getByText('Von einem Link').waitFor()
    assert.match((await zone.textContent()) ?? '', /einen Link/)
  })
})
