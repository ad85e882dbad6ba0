import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { test } from 'vitest'
import { inTransaction } from '../../src/db/index.ts'
import { startBrowser } from '../support/browsers/browser.ts'
import { faultsOf } from '../support/browsers/browser-site.ts'
import { ask } from '../support/delivered.ts'
import { markupStrings } from '../support/fixtures/markup-strings.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { someInQuick } from '../support/tiers.ts'
import { onSiteOf, picture, type TestTenant, uploaded } from '../support/uploads.ts'

const listPath = new URL('../corpus/blns/blns.json', import.meta.url)
const strings: string[] = [
  ...markupStrings,
  ...(JSON.parse(readFileSync(listPath, 'utf8')) as string[]),
  // A title without anything to see is not shown: the file's name is.
].filter((text) => /[^\s\p{C}]/u.test(text))

const browsing = await needing('chromium')
browsing.describe('texts of files in a browser', () => {
  test('no text of a file ever runs, and all of it is shown as it is', { timeout: 300_000 }, async () => {
    await using app = await startTestApp({ environment: { SERVICE_RATE_READS: '0' } })
    await using browser = await startBrowser()
    const cats = await app.tenant('cats')
    const image = await uploaded(app, cats, { file: await picture({ width: 600, height: 400 }) })
    const tab = await browser.newPage()
    const faults = faultsOf(tab)
    for (const text of someInQuick(strings, 40)) {
      await rewrite(app, cats, image.id_encoded, [text])
      const { text: page } = await ask(app, image.url_short, { 'user-agent': 'a bot' })
      assert.deepEqual(await textsOf(tab, page), Array(4).fill(text), text)
    }
    // And opened, some by themselves and the others in the company of many.
    const markup = strings.filter((each) => /[<>"'`&]|script:/i.test(each)).slice(markupStrings.length)
    const groups = Array.from({ length: Math.ceil(markup.length / 10) }, (_, at) =>
      markup.slice(at * 10, at * 10 + 10),
    )
    for (const texts of someInQuick([...markupStrings.map((each) => [each]), ...groups], 8)) {
      await rewrite(app, cats, image.id_encoded, texts)
      await tab.goto(image.url_short)
      assert.equal(
        await tab.evaluate(`document.querySelectorAll('script:not([type$=json])').length`),
        1,
        texts.join('\n'),
      )
    }
    await rewrite(app, cats, image.id_encoded, markupStrings.slice(0, 1))
    await tab.goto(image.delete_url)
    assert.equal(await tab.locator('strong').textContent(), markupStrings[0])
    assert.deepEqual(faults, [])
  })

  test('addresses in a description are links, and a text from right to left is on its side', async () => {
    await using app = await startTestApp()
    await using browser = await startBrowser()
    const cats = await app.tenant('cats')
    const fields = { title: 'קיץ ליד הים', description: 'תמונות נוספות: https://example.org/sea.' }
    const image = await uploaded(app, cats, { fields })
    const tab = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    await tab.goto(image.url_viewer)
    const link = tab.getByRole('link', { name: 'https://example.org/sea', exact: true })
    assert.equal(await link.getAttribute('href'), 'https://example.org/sea')
    assert.equal(await link.getAttribute('rel'), 'nofollow ugc noopener')
    const edgesOf = async (selector: string) => {
      const box = await tab.locator(selector).boundingBox()
      return box ? [box.x, box.x + box.width] : []
    }
    const [, right = 0] = await edgesOf('.words')
    const [left = 0, end = 0] = await edgesOf('.description')
    assert.ok(right - end <= 24 && left > 100, `from ${left} to ${end} of ${right}`)
    const [, titleEnd = 0] = await edgesOf('h1')
    assert.ok(right - titleEnd <= 24, `the title ends at ${titleEnd}`)
  })

  test('names and texts of uploads never run either', async () => {
    await using app = await startTestApp()
    await using browser = await startBrowser()
    const cats = await app.tenant('cats')
    const tab = await browser.newPage()
    const faults = faultsOf(tab)
    for (const text of someInQuick(markupStrings.slice(0, 25), 4)) {
      const fileName = `${text.replaceAll(/["\r\n\\/]/g, '')}.png`
      const image = await uploaded(app, cats, {
        fileName,
        fields: { title: text, description: text, tags: text },
      })
      await tab.goto(image.url_viewer)
      assert.equal(await tab.locator('h1').textContent(), image.title)
      assert.equal(await tab.locator('.description').textContent(), image.description)
      assert.equal(await tab.locator('.name').textContent(), image.filename)
    }
    assert.deepEqual(faults, [])
  })
})

/** Past the API, so that no check of it lessens what the page has to stand. */
async function rewrite(
  app: TestApp,
  tenant: TestTenant,
  id: string,
  texts: readonly string[],
): Promise<void> {
  const exif = JSON.stringify({ Artist: texts[0], ...Object.fromEntries(texts.map((text) => [text, text])) })
  const row = { title: texts[0] ?? '', description: texts.join('\n'), originalName: texts[0] ?? '', exif }
  await onSiteOf(app, tenant, (site) =>
    inTransaction(site.db, async (db) => {
      await db.updateTable('file').set(row).where('id', '=', id).execute()
      await db.deleteFrom('fileTag').where('fileId', '=', id).execute()
      const tags = [...new Set(texts)].map((name) => ({ name, createdAt: '' }))
      await db
        .insertInto('tag')
        .values(tags)
        .onConflict((on) => on.doNothing())
        .execute()
      await db
        .insertInto('fileTag')
        .values(tags.map(({ name }) => ({ fileId: id, tagName: name })))
        .execute()
    }),
  )
}

/** Title, description, tag and metadata of a page as a browser reads them. */
const textsOf = (tab: Page, text: string): Promise<string[]> =>
  tab.evaluate(`(() => {
    const page = new DOMParser().parseFromString(${JSON.stringify(text)}, 'text/html')
    const places = ['h1', '.description', '.tags li', '.side section:last-of-type dd']
    return places.map((place) => page.querySelector(place)?.textContent)
  })()`)
