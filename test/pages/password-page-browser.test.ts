import assert from 'node:assert/strict'
import { test } from 'vitest'
import { createAlbum } from '../../src/media/index.ts'
import { startBrowser } from '../support/browsers/browser.ts'
import { startTestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { onSiteOf, picture, uploaded } from '../support/uploads.ts'

const password = '<mane> & “tail”'

async function lockedFile() {
  const app = await startTestApp()
  const cats = await app.tenant('cats')
  const input = { username: 'ada', title: 'Lions', privacy: 'password', password } as const
  const { id } = await onSiteOf(app, cats, (site) => createAlbum(site, input))
  const file = await picture({ width: 600, height: 400 })
  const image = await uploaded(app, cats, { file, fields: { album_id: id, title: 'A lion' } })
  return { app, image, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

const browsing = await needing('chromium')
browsing.describe('the page that asks for a password, in a browser', () => {
  test('is filled in by keyboard and without script, and shows the file to who knows it', async () => {
    await using locked = await lockedFile()
    const { image } = locked
    await using browser = await startBrowser()
    const context = await browser.newContext({ javaScriptEnabled: false })
    const tab = await context.newPage()
    const messages: string[] = []
    tab.on('console', (message) => messages.push(message.text()))

    await tab.goto(image.url_short)
    // The field has the focus already: nobody has to look for it.
    await tab.keyboard.type('wrong one')
    await tab.keyboard.press('Enter')
    const alert = tab.getByRole('alert')
    await alert.waitFor()
    assert.equal(await alert.textContent(), 'Wrong password for this album.')
    const field = tab.getByLabel('Password for this album')
    assert.equal(await field.getAttribute('aria-invalid'), 'true')
    assert.equal(await tab.getByRole('link', { name: 'Log in' }).count(), 1)
    assert.equal(await field.getAttribute('aria-describedby'), await alert.getAttribute('id'))

    await field.fill(password)
    await tab.getByRole('button', { name: 'Show the file' }).click()
    await tab.getByRole('heading', { name: 'A lion' }).waitFor()
    assert.equal(new URL(tab.url()).pathname, image.path_viewer)
    await tab.reload()
    assert.equal(await tab.getByRole('heading', { level: 1 }).textContent(), 'A lion')
    const [cookie] = await context.cookies()
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite, cookie?.secure], [true, 'Lax', false])

    const stranger = await (await browser.newContext()).newPage()
    await stranger.goto(image.url_viewer)
    assert.equal(await stranger.getByRole('heading', { level: 1 }).textContent(), 'Password required')
    assert.deepEqual(
      messages.filter((text) => !text.includes('403')),
      [],
    )
  })

  test('fits a telephone and can be read in both themes', async () => {
    await using locked = await lockedFile()
    await using browser = await startBrowser()
    for (const colorScheme of ['light', 'dark'] as const) {
      const viewport = { width: 390, height: 844 }
      const tab = await (await browser.newContext({ viewport, colorScheme })).newPage()
      await tab.goto(locked.image.url_short)
      await tab.keyboard.type('wrong one')
      await tab.keyboard.press('Enter')
      await tab.getByRole('alert').waitFor()
      assert.equal(await tab.evaluate('document.documentElement.scrollWidth'), viewport.width)
      const contrasts = (await tab.evaluate(contrastsOfTexts)) as [string, number][]
      assert.ok(contrasts.length >= 6)
      for (const [text, contrast] of contrasts)
        assert.ok(contrast >= 4.5, `${colorScheme} ${text}: ${contrast}`)
      for (const name of ['input:visible', 'button'])
        assert.ok(((await tab.locator(`main ${name}`).boundingBox())?.height ?? 0) >= 40, name)
    }
  })
})

/** Every element with a text of its own, and how it stands out from what is behind it. */
const contrastsOfTexts = `[...document.querySelectorAll('body *')]
  .filter((each) => [...each.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()) || each.tagName === 'INPUT')
  .filter((each) => !['STYLE', 'SCRIPT'].includes(each.tagName) && each.checkVisibility())
  .map((each) => {
    const channels = (colour) => colour.match(/[\\d.]+/g).map(Number)
    const luminance = (colour) => {
      const [r, g, b] = channels(colour).slice(0, 3).map((value) => {
        const part = value / 255
        return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
      })
      return 0.2126 * r + 0.7152 * g + 0.0722 * b
    }
    let behind = each
    while (channels(getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement
    const shades = [getComputedStyle(each).color, getComputedStyle(behind).backgroundColor].map(luminance)
    return [each.textContent.trim() || each.tagName, (Math.max(...shades) + 0.05) / (Math.min(...shades) + 0.05)]
  })`
