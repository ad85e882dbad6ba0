import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { test } from 'vitest'
import { axeFindings, watchFaults } from '../../support/browsers/browser-checks.ts'
import { ada, gridTakenOver, startBrowserSite, type TabOptions } from '../../support/browsers/browser-site.ts'
import { manyFiles } from '../../support/fixtures/many-files.ts'
import { ask5, keyOf } from '../../support/media.ts'
import { needing } from '../../support/needs.ts'
import { until } from '../../support/until.ts'
import { picture, uploaded } from '../../support/uploads.ts'

const browsing = await needing('chromium')

async function startFiles(count: number) {
  const site = await startBrowserSite()
  const { app, tenant } = site
  await manyFiles(app, tenant, count)
  const key = await keyOf(app, tenant, 'write')
  const ask = async (call: string, body?: object) =>
    (await ask5(app, tenant, call, { key, ...(body && { body }) })).json
  const open = async (options: TabOptions = {}) => {
    const tab = await site.open({ as: ada, viewport: { width: 1280, height: 800 }, ...options })
    // The ten seconds of Undo must not pass on a slow machine.
    await tab.clock.setFixedTime(Date.now())
    await tab.goto(site.at('/mine'))
    await isReady(tab)
    return tab
  }
  return { site, ask, open }
}

const isReady = (tab: Page) => tab.locator('[data-clear]:not([hidden])').waitFor({ state: 'attached' })
const tile = (tab: Page, name: string) => tab.getByRole('link', { name, exact: true })
const box = (tab: Page, title: string) => tab.getByRole('checkbox', { name: `Select ${title}`, exact: true })
/** The field is where a person types. */
const hasFocus = (tab: Page, field: Locator) => field.and(tab.locator(':focus')).waitFor()
const focusedId = (tab: Page) => tab.evaluate('document.activeElement.dataset?.id')

browsing.describe('the dialogs of a selection', () => {
  test('put the focus in their field, and keep what was typed beside the reason of a refusal', async () => {
    const { site, ask, open } = await startFiles(6)
    await using _ = site
    const tab = await open({ locale: 'de' })
    const faults = watchFaults(tab)
    await tile(tab, 'File 1').focus()
    await tab.keyboard.press('t')
    const field = tab.getByLabel('Schlagwörter hinzufügen')
    await hasFocus(tab, field)
    const tags = `nacht, ${'x'.repeat(40)}`
    await tab.keyboard.type(tags)
    await tab.keyboard.press('Enter')
    const alert = tab.getByRole('dialog').getByRole('alert')
    await alert.waitFor()
    assert.match((await alert.textContent()) ?? '', /^“x{40}”: .*Zeichen/)
    assert.equal(await field.inputValue(), tags)
    assert.equal(await field.getAttribute('aria-invalid'), 'true')
    assert.match((await field.getAttribute('aria-describedby')) ?? '', /-fault$/)
    assert.deepEqual(await axeFindings(tab), [])
    await field.fill('nacht')
    await tab.keyboard.press('Enter')
    await tab.getByRole('dialog').waitFor({ state: 'hidden' })
    await until(async () => (await ask('GET files/f1')).tags.join() === 'nacht', 'The file has the tag')

    await tile(tab, 'File 2').focus()
    await tab.keyboard.press('m')
    const album = tab.getByLabel('Album', { exact: true })
    await hasFocus(tab, album)
    assert.deepEqual(faults, [])
  })

  test('move files into an album that is found by typing, and into a new one', async () => {
    const { site, ask, open } = await startFiles(6)
    await using _ = site
    for (const title of ['Sea', 'Café']) await ask('POST albums', { title })
    const tab = await open()
    await tile(tab, 'File 1').focus()
    await tab.keyboard.press('m')
    const find = tab.getByRole('searchbox', { name: 'Find an album' })
    await hasFocus(tab, find)
    await tab.keyboard.type('cafe')
    await tab.keyboard.press('Enter')
    await tab.getByText('1 file changed.').waitFor()
    const albumOf = async (id: string) =>
      (await ask(`GET albums/${(await ask(`GET files/${id}`)).album_id}`)).title
    assert.equal(await albumOf('f1'), 'Café')

    await tile(tab, 'File 2').focus()
    await tab.keyboard.press('m')
    await find.fill('Lighthouses')
    await tab.getByText('No album matches. A new one will be created.').waitFor()
    assert.equal(await tab.getByLabel('Or create a new album').inputValue(), 'Lighthouses')
    await tab.getByRole('button', { name: 'Move', exact: true }).click()
    await until(async () => (await ask('GET files/f2')).album_id !== null, 'The file has an album')
    assert.equal(await albumOf('f2'), 'Lighthouses')
  })
})

browsing.describe('a whole list', () => {
  for (const [how, options] of [
    ['by mouse', {}],
    ['by touch', { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } }],
  ] as const)
    test(`is selected ${how}, without what arrives later`, async () => {
      const { site, ask, open } = await startFiles(230)
      await using _ = site
      const tab = await open(options)
      if (how === 'by touch') await box(tab, 'File 1').tap()
      else await box(tab, 'File 1').click()
      const all = tab.getByRole('button', { name: 'Select all 230' })
      const { app, tenant } = site
      app.wait(2)
      await uploaded(app, tenant, { file: await picture({ seed: 7 }), fields: { title: 'Late' } })
      await (how === 'by touch' ? all.tap() : all.click())
      await tab.getByText('All 230 selected', { exact: true }).waitFor()
      // Another one of the past comes back: it was not in the list when it was selected.
      await ask('DELETE files/f9')
      await ask('POST files/f9/restore')
      await tab.getByRole('button', { name: 'Delete', exact: true }).click()
      await tab.getByText('230 files moved to trash.').waitFor()
      const left = (await ask('GET files?user_id=me')).data
      assert.deepEqual(
        left.map(({ title }: { title: string }) => title),
        ['Late'],
      )
    })

  test('is selected by Ctrl A with all its files, however early', async () => {
    const { site } = await startFiles(10_120)
    await using _ = site
    const tab = await site.open({ as: ada, viewport: { width: 1280, height: 800 } })
    // The second block of the list never arrives.
    await tab.route(/files\/shape\?.*after=/, () => undefined)
    await tab.goto(site.at('/mine'))
    await gridTakenOver(tab)
    await isReady(tab)
    await tab.keyboard.press('Control+a')
    await tab.getByText('All 10,120 selected', { exact: true }).waitFor()
  })
})

browsing.describe('the focus', () => {
  test('is at the next file after a deletion', async () => {
    const { site, open } = await startFiles(150)
    await using _ = site
    const tab = await open()
    await tile(tab, 'File 2').focus()
    await tab.keyboard.press('ArrowRight')
    const deleted = await focusedId(tab)
    await tab.keyboard.press('ArrowRight')
    const next = await focusedId(tab)
    await tab.keyboard.press('ArrowLeft')
    await tab.keyboard.press('Delete')
    await tab.getByText('1 file moved to trash.').waitFor()
    await until(async () => (await focusedId(tab)) === next, 'The next file has the focus')
    assert.equal(await tab.locator(`[data-id=${deleted}]`).count(), 0)
  })
})
