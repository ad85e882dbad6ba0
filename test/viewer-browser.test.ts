import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { describe, test } from 'vitest'
import { inTransaction } from '../src/db/index.ts'
import { ask, hasBrowser, startBrowser } from './delivered.ts'
import { markupStrings } from './fixtures/markup-strings.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { until } from './until.ts'
import { onSiteOf, picture, type TestTenant, uploaded } from './uploads.ts'

const listPath = new URL('../../shared/corpus/blns/blns.json', import.meta.url)
const strings: string[] = [
  ...markupStrings,
  ...(existsSync(listPath) ? (JSON.parse(readFileSync(listPath, 'utf8')) as string[]) : []),
  // A title without anything to see is not shown: the file's name is.
].filter((text) => /[^\s\p{C}]/u.test(text))

describe.skipIf(!hasBrowser())('in a browser', () => {
  test('no text of a file ever runs, and all of it is shown as it is', { timeout: 300_000 }, async () => {
    await using app = await startTestApp()
    await using browser = await startBrowser()
    const cats = await app.tenant('cats')
    const image = await uploaded(app, cats, { file: await picture({ width: 600, height: 400 }) })
    const tab = await browser.newPage()
    const faults = faultsOf(tab)
    for (const text of strings) {
      await rewrite(app, cats, image.id_encoded, [text])
      const { text: page } = await ask(app, image.url_short, { 'user-agent': 'a bot' })
      assert.deepEqual(await textsOf(tab, page), Array(4).fill(text), text)
    }
    // And opened, some by themselves and the others in the company of many.
    const markup = strings.filter((each) => /[<>"'`&]|script:/i.test(each)).slice(markupStrings.length)
    const groups = Array.from({ length: Math.ceil(markup.length / 10) }, (_, at) =>
      markup.slice(at * 10, at * 10 + 10),
    )
    for (const texts of [...markupStrings.map((each) => [each]), ...groups]) {
      await rewrite(app, cats, image.id_encoded, texts)
      await tab.goto(image.url_short)
      assert.equal(await tab.evaluate('document.scripts.length'), 1, texts.join('\n'))
    }
    await rewrite(app, cats, image.id_encoded, markupStrings.slice(0, 1))
    await tab.goto(image.delete_url)
    assert.equal(await tab.locator('strong').textContent(), markupStrings[0])
    assert.deepEqual(faults, [])
  })

  test('names and texts of uploads never run either', async () => {
    await using app = await startTestApp()
    await using browser = await startBrowser()
    const cats = await app.tenant('cats')
    const tab = await browser.newPage()
    const faults = faultsOf(tab)
    for (const text of markupStrings.slice(0, 25)) {
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

  test('the page is led by keyboard, fits every window, and copies its codes', async () => {
    await using app = await startTestApp()
    await using browser = await startBrowser()
    const file = await picture({ width: 1600, height: 900, format: 'jpeg' })
    const fields = { title: 'W'.repeat(100), description: 'x'.repeat(3_000), tags: 'y'.repeat(32) }
    const image = await uploaded(app, await app.tenant('cats'), { file, fields })
    const tab = await browser.newPage({ viewport: { width: 390, height: 800 } })
    const faults = faultsOf(tab)
    await tab.goto(image.url_viewer)
    const focused = () => tab.locator(':focus')
    const order = ['Skip to the content', 'cats.test', '', 'Download', 'Full size', 'Links and embed codes']
    for (const text of order) {
      await tab.keyboard.press('Tab')
      assert.equal((await focused().textContent())?.trim(), text)
    }
    await tab.keyboard.press('Enter')
    await tab.keyboard.press('Tab')
    assert.equal(await tab.evaluate('getSelection().toString()'), image.url_viewer)
    await tab.keyboard.press('Tab')
    await tab.keyboard.press('Enter')
    await tab.locator(':focus', { hasText: 'Copied' }).waitFor()
    const field = await tab.evaluate('document.activeElement.parentNode.querySelector("input").value')
    assert.equal(field, image.url_viewer)

    for (const width of [320, 390, 768, 1280]) {
      await tab.setViewportSize({ width, height: 800 })
      assert.equal(await tab.evaluate('document.documentElement.scrollWidth'), width)
    }
    const shown = () => tab.evaluate('document.querySelector(".stage img").currentSrc')
    // A browser chooses anew some time after its window has changed.
    await until(async () => (await shown()) === image.url, 'the large window shows the file itself')
    const small = await browser.newPage({ viewport: { width: 390, height: 800 } })
    await small.goto(image.url_viewer)
    assert.equal(await small.evaluate('document.querySelector(".stage img").currentSrc'), image.medium.url)
    assert.deepEqual(faults, [])
  })

  test('an unsafe picture is not even loaded before somebody asks for it', async () => {
    await using app = await startTestApp()
    await using browser = await startBrowser()
    const image = await uploaded(app, await app.tenant('cats'), { fields: { nsfw: '1' } })
    const tab = await browser.newPage()
    const loaded: string[] = []
    tab.on('request', (request) => loaded.push(request.url()))
    await tab.goto(image.url_viewer, { waitUntil: 'networkidle' })
    assert.deepEqual(loaded, [image.url_viewer])
    assert.equal(await tab.locator('.stage img').isVisible(), false)
    const asked = tab.waitForRequest(image.url)
    await tab.locator('.cover summary').press('Enter')
    await asked
    await tab.locator('.stage img').waitFor({ state: 'visible' })
    assert.deepEqual(loaded, [image.url_viewer, image.url])
  })

  test('a delete link asks, and deletes when the button is pressed', async () => {
    await using app = await startTestApp()
    await using browser = await startBrowser()
    const image = await uploaded(app, await app.tenant('cats'))
    const tab = await browser.newPage()
    const faults = faultsOf(tab)
    await tab.goto(image.delete_url)
    await tab.getByText('Keep it').click()
    assert.equal(tab.url(), image.url_viewer)
    await tab.goBack()
    await tab.getByRole('button').press('Enter')
    await tab.waitForURL(new URL('/', image.url).href)
    assert.equal((await ask(app, image.url)).status, 404)
    assert.deepEqual(faults, [])
  })
})

/** Dialogs, errors and breaches of the policy. */
function faultsOf(tab: Page): string[] {
  const faults: string[] = []
  tab.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  tab.on('console', (message) => faults.push(message.text()))
  tab.on('pageerror', (error) => faults.push(error.message))
  return faults
}

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
    const places = ['h1', '.description', '.tags li', '.side section:last-child dd']
    return places.map((place) => page.querySelector(place)?.textContent)
  })()`)
