import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { ada, type BrowserSite, startBrowserSite } from '../../support/browsers/browser-site.ts'
import { ask5, keyOf } from '../../support/media.ts'
import { needing } from '../../support/needs.ts'
import { picture, set } from '../../support/uploads.ts'

const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no picture') }

const browsing = await needing('chromium')
browsing.describe('the form of the upload page', () => {
  let site: BrowserSite
  beforeAll(async () => {
    site = await startBrowserSite()
    await set(site.app, site.tenant, { enable_guest_page_uploads: '1' })
  })
  afterAll(() => site?.[Symbol.asyncDispose]())

  /** The parts of colours, from 0 to 1, of the browser's own button in the file field. */
  const coloursOf = (tab: Page): Promise<number[][]> =>
    tab.evaluate(`(() => {
      const style = getComputedStyle(document.querySelector('[type=file]'), '::file-selector-button')
      const partsOf = (colour) => colour.match(/[\\d.]+/g).map((part) => Number(part) / 255)
      return [partsOf(style.color), partsOf(style.backgroundColor)]
    })()`)

  const lightness = ([red = 0, green = 0, blue = 0]: number[]) => {
    const linear = [red, green, blue].map((part) =>
      part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
    )
    return 0.2126 * (linear[0] ?? 0) + 0.7152 * (linear[1] ?? 0) + 0.0722 * (linear[2] ?? 0)
  }

  test.for(
    ([390, 1280] as const).flatMap((width) =>
      (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
    ),
  )('without script its button is readable and inside its panel: $width, $colorScheme', async (look) => {
    const { width, colorScheme } = look
    const viewport = { width, height: 844 }
    const tab = await site.open({ as: ada, javaScriptEnabled: false, viewport, colorScheme })
    await tab.goto(site.at('/upload'))
    const [light = 0, dark = 0] = (await coloursOf(tab)).map(lightness).sort((a, b) => b - a)
    const contrast = (light + 0.05) / (dark + 0.05)
    assert.ok(contrast >= 4.5, `${contrast}`)
    const [panel, button] = await Promise.all([
      tab.locator('.drop-zone').boundingBox(),
      tab.locator('.drop-zone label.button').first().boundingBox(),
    ])
    assert.ok(panel && button && button.x >= panel.x, 'It does not begin before its panel')
    assert.ok(button.x + button.width <= panel.x + panel.width, `${button.width} in ${panel.width}`)
    assert.equal(await tab.evaluate('document.documentElement.scrollWidth'), width)
  })

  test('without script a refused link comes back with all that was typed', async () => {
    const tab = await site.open({ as: ada, javaScriptEnabled: false, locale: 'de' })
    await tab.goto(site.at('/upload'))
    await tab.getByLabel('Titel').fill('Abend am Hafen')
    await tab.locator('[name=tags]').fill('hafen, abend')
    await tab.getByText('Von einem Link').click()
    const link = tab.locator('#url')
    await link.fill('http://127.0.0.1:9/cat.png')
    const [answer] = await Promise.all([tab.waitForResponse(/\/upload$/), link.press('Enter')])
    assert.equal(answer.status(), 400)
    assert.equal(await link.inputValue(), 'http://127.0.0.1:9/cat.png')
    assert.equal(await tab.getByLabel('Titel').inputValue(), 'Abend am Hafen')
    assert.equal(await tab.locator('[name=tags]').inputValue(), 'hafen, abend')
    const fault = tab.getByRole('alert').filter({ hasText: 'Link' })
    assert.match((await fault.textContent()) ?? '', /konnte nicht von diesem Link/)
    assert.equal(await link.getAttribute('aria-describedby'), await fault.getAttribute('id'))
  })

  test('without script a refused file comes back with all that was typed, and a refused tag beside its field', async () => {
    const tab = await site.open({ as: ada, javaScriptEnabled: false })
    await tab.goto(site.at('/upload'))
    await tab.getByLabel('Title').fill('Kept')
    await tab.getByLabel('Choose files').setInputFiles([notes])
    const send = async () => {
      const [answer] = await Promise.all([
        tab.waitForResponse(/\/upload$/),
        tab.getByRole('button', { name: 'Upload', exact: true }).click(),
      ])
      return answer.status()
    }
    assert.equal(await send(), 400)
    await tab.getByRole('alert').filter({ hasText: 'notes.txt' }).waitFor()
    assert.equal(await tab.getByLabel('Title').inputValue(), 'Kept')
    await tab.getByLabel('Tags').fill('x'.repeat(200))
    await tab
      .getByLabel('Choose files')
      .setInputFiles([{ name: 'a.png', mimeType: 'image/png', buffer: await picture({ seed: 1 }) }])
    assert.equal(await send(), 400)
    assert.equal(await tab.getByLabel('Tags').getAttribute('aria-invalid'), 'true')
    assert.equal(await tab.getByLabel('Title').inputValue(), 'Kept')
    await tab.getByLabel('Tags').fill('dusk')
    assert.equal(await send(), 400)
    await tab.getByText('Choose a file first.').waitFor()
  })

  test('a guest who sends a link where it is off reads why in their language', async () => {
    const tab = await site.open({ javaScriptEnabled: false, locale: 'es' })
    await set(site.app, site.tenant, { enable_guest_url_uploads: '1' })
    await tab.goto(site.at('/upload'))
    await tab.getByText('Desde un enlace').click()
    await tab.locator('#url').fill('https://example.com/cat.png')
    await set(site.app, site.tenant, { enable_guest_url_uploads: '0' })
    const [answer] = await Promise.all([tab.waitForResponse(/\/upload$/), tab.locator('#url').press('Enter')])
    assert.equal(answer.status(), 403)
    await tab.getByText('Aquí no puedes subir archivos desde un enlace.').waitFor()
    assert.doesNotMatch(await tab.content(), /URL uploading/)
  })

  test('an address with an album uploads into it, with and without script, and after the log-in', async () => {
    const { app, tenant } = site
    const key = await keyOf(app, tenant, 'write')
    const { json: album } = await ask5(app, tenant, 'POST albums', { key, body: { title: 'Harbour' } })
    const count = async () => (await ask5(app, tenant, `GET albums/${album.id}`, { key })).json.file_count
    for (const javaScriptEnabled of [true, false]) {
      const tab = await site.open({ as: ada, javaScriptEnabled, viewport: { width: 390, height: 844 } })
      await tab.goto(site.at(`/upload?album=${album.id}`))
      // Not folded, so that it is seen on a phone.
      const field = tab.getByLabel('Album', { exact: true })
      assert.ok(await field.isVisible())
      assert.equal(await field.locator('option:checked').textContent(), 'Harbour')
      const buffer = await picture({ seed: javaScriptEnabled ? 60 : 61 })
      await tab.getByLabel('Choose files').setInputFiles([{ name: 'a.png', mimeType: 'image/png', buffer }])
      if (javaScriptEnabled) await tab.getByRole('button', { name: 'Copy 1 link' }).waitFor()
      else await tab.getByRole('button', { name: 'Upload', exact: true }).click()
      if (!javaScriptEnabled) await tab.getByRole('heading', { name: '1 file uploaded' }).waitFor()
    }
    assert.equal(await count(), 2)
    const other = await site.open({ as: ada })
    for (const id of ['unknown', '%00', 'x'.repeat(500)]) {
      const answer = await other.goto(site.at(`/upload?album=${id}`))
      assert.equal(answer?.status(), 200)
      assert.equal(await other.getByLabel('Album', { exact: true }).inputValue(), '')
    }
    await set(app, tenant, { enable_guest_page_uploads: '0' })
    const guest = await site.open()
    await guest.goto(site.at(`/upload?album=${album.id}`))
    await guest.getByLabel('User name or e-mail address').fill(ada.login)
    await guest.getByLabel('Password').fill(ada.password)
    await guest.getByRole('button', { name: 'Log in' }).click()
    await guest.waitForURL(site.at(`/upload?album=${album.id}`))
    assert.equal(await guest.getByLabel('Album', { exact: true }).inputValue(), album.id)
  })
})
