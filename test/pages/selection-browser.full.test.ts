import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { test } from 'vitest'
import { ada, type BrowserSite, pasteInto, startBrowserSite } from '../support/browsers/browser-site.ts'
import { manyFiles } from '../support/fixtures/many-files.ts'
import { ask5, keyOf } from '../support/media.ts'
import { needing } from '../support/needs.ts'
import { until } from '../support/until.ts'
import { set, uploaded } from '../support/uploads.ts'

const browsing = await needing('chromium')

const box = (tab: Page, title: string) => tab.getByRole('checkbox', { name: `Select ${title}`, exact: true })
const bar = (tab: Page) => tab.getByRole('group', { name: 'Selected files' })
const press = (tab: Page, name: string) => bar(tab).getByRole('button', { name, exact: true }).click()
const says = (tab: Page, text: string) => tab.getByText(text, { exact: true }).waitFor()

async function openMine(site: BrowserSite, options: object = {}): Promise<Page> {
  const tab = await site.open({ as: ada, viewport: { width: 1280, height: 800 }, ...options })
  // The ten seconds of Undo must not pass on a slow machine.
  await tab.clock.setFixedTime(Date.now())
  await tab.goto(site.at('/mine'))
  await isReady(tab)
  return tab
}

/** The script that selects files has been loaded. */
const isReady = (tab: Page) => tab.locator('[data-clear]:not([hidden])').waitFor({ state: 'attached' })

/** Files of ada, and what the API tells of them. */
async function startFiles(count: number) {
  const site = await startBrowserSite()
  const { app, tenant } = site
  await manyFiles(app, tenant, count)
  const key = await keyOf(app, tenant, 'write')
  const total = async (query = '') =>
    (await ask5(app, tenant, `GET files?user_id=me&count=true&limit=1${query}`, { key })).json.total.value
  return { site, app, tenant, key, total }
}

browsing.describe('selected files', () => {
  test('are deleted and brought back by mouse, also after the next page', { timeout: 180_000 }, async () => {
    const { site, app, tenant, key, total } = await startFiles(20)
    await using _ = site
    const tab = await openMine(site)
    const faults = watch(tab)
    await box(tab, 'File 1').click()
    await says(tab, '1 selected')
    await tab.getByRole('link', { name: 'File 4', exact: true }).click({ modifiers: ['Control'] })
    await says(tab, '2 selected')
    // The range begins at the file that was toggled last: 4, 3, 6, 5.
    await tab.getByRole('link', { name: 'File 5', exact: true }).click({ modifiers: ['Shift'] })
    await says(tab, '5 selected')
    await press(tab, 'Delete')
    await says(tab, '5 files moved to trash.')
    assert.equal(await total(), 15)
    await until(async () => (await box(tab, 'File 4').count()) === 0, 'they left the list')
    // Another change of one of them meanwhile: it stays where that has put it.
    await ask5(app, tenant, 'POST files/f4/restore', { key })
    await tab.getByRole('link', { name: 'Albums' }).first().click()
    await tab.getByRole('heading', { name: 'Albums', level: 1 }).waitFor()
    await tab.getByRole('button', { name: 'Undo' }).click()
    await says(tab, 'Undone for 4 files. 1 was changed in the meantime and wasn’t undone.')
    assert.equal(await total(), 20)
    assert.deepEqual(faults, [])
  })

  test('are led, tagged and moved by keys alone', { timeout: 180_000 }, async () => {
    const { site, app, tenant, key } = await startFiles(12)
    await using _ = site
    const album = (await ask5(app, tenant, 'POST albums', { key, body: { title: 'Sea' } })).json
    const tab = await openMine(site)
    const faults = watch(tab)
    await tab.getByRole('link', { name: 'File 1', exact: true }).focus()
    await tab.keyboard.press('x')
    await says(tab, '1 selected')
    await tab.keyboard.press('Shift+ArrowRight')
    await tab.keyboard.press('Shift+ArrowRight')
    await says(tab, '3 selected')
    await tab.keyboard.press('Shift+ArrowLeft')
    await says(tab, '2 selected')
    await tab.keyboard.press('t')
    await tab.getByLabel('Add tags').fill('dusk, <b>sea')
    await tab.keyboard.press('Enter')
    await says(tab, '2 files changed.')
    const tagsOf = async (id: string) => (await ask5(app, tenant, `GET files/${id}`, { key })).json.tags
    assert.deepEqual(await tagsOf('f1'), ['<b>sea', 'dusk'])
    await tab.keyboard.press('Control+z')
    await says(tab, 'Undone for 2 files.')
    assert.deepEqual(await tagsOf('f1'), [])

    await isReady(tab)
    await tab.keyboard.press('Control+a')
    await says(tab, 'All 12 selected')
    await tab.keyboard.press('m')
    await tab.getByLabel('Album', { exact: true }).selectOption('Sea')
    await tab.getByRole('button', { name: 'Move', exact: true }).press('Enter')
    await says(tab, '12 files changed.')
    assert.equal((await ask5(app, tenant, `GET albums/${album.id}`, { key })).json.file_count, 12)
    await tab.keyboard.press('Control+a')
    await tab.keyboard.press('Escape')
    await until(async () => !(await bar(tab).isVisible()), 'nothing is selected')
    assert.deepEqual(faults, [])
  })

  test('of a whole list are changed in batches of 200, but for exceptions', {
    timeout: 180_000,
  }, async () => {
    const { site, total } = await startFiles(601)
    await using _ = site
    const tab = await openMine(site)
    const batches: number[] = []
    tab.on('request', (request) => {
      if (request.url().endsWith('/bulk')) batches.push(request.postDataJSON().ids.length)
    })
    await tab.keyboard.press('Control+a')
    await says(tab, 'All 601 selected')
    await box(tab, 'File 2').click()
    await says(tab, 'All 600 selected')
    await press(tab, 'Delete')
    await says(tab, '600 files moved to trash.')
    assert.deepEqual(batches, [200, 200, 200])
    assert.equal(await total(), 1)
    await tab.getByRole('button', { name: 'Undo' }).click()
    await says(tab, 'Undone for 600 files.')
    assert.equal(await total(), 601)
    // A range of more than 500 asks first.
    await isReady(tab)
    await box(tab, 'File 1').click()
    await tab.keyboard.press('End')
    await box(tab, 'File 600').click({ modifiers: ['Shift'] })
    await tab.getByRole('heading', { name: 'Select 598 files?' }).waitFor()
    await tab.getByRole('button', { name: 'Select', exact: true }).click()
    await says(tab, '598 selected')
  })

  test('are chosen by a long press and a tap on a phone, and copied', { timeout: 180_000 }, async () => {
    const { site } = await startFiles(8)
    await using _ = site
    const tab = await openMine(site, {
      hasTouch: true,
      isMobile: true,
      viewport: { width: 390, height: 800 },
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const link = tab.getByRole('link', { name: 'File 2', exact: true })
    const { x = 0, y = 0 } = (await link.boundingBox()) ?? {}
    const client = await tab.context().newCDPSession(tab)
    const point = { x: x + 60, y: y + 60 }
    await client.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [point] })
    await says(tab, '1 selected')
    const other = (await tab.getByRole('link', { name: 'File 4', exact: true }).boundingBox()) ?? {
      x: 0,
      y: 0,
    }
    const target = { x: other.x + 30, y: other.y + 50 }
    await client.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [target] })
    await says(tab, '3 selected')
    await client.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
    await tab.getByRole('link', { name: 'File 1', exact: true }).tap()
    await says(tab, '2 selected')
    await press(tab, 'Copy')
    await until(async () => (await pasteInto(tab)).split('\n').length === 2, 'two links are copied')
    await axeIsContent(tab)
  })

  test('are deleted for good only after a question where there is no trash', {
    timeout: 300_000,
  }, async () => {
    const { site, app, tenant, total } = await startFiles(5)
    await using _ = site
    await set(app, tenant, { trash_days: '0' })
    const tab = await openMine(site)
    await box(tab, 'File 1').click()
    await tab.keyboard.press('Delete')
    await tab.getByRole('heading', { name: 'Delete 1 file for good?' }).waitFor()
    await tab.getByRole('dialog').getByRole('button', { name: 'Cancel' }).last().click()
    assert.equal(await total(), 5)
    await tab.keyboard.press('Delete')
    await tab.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).click()
    await says(tab, '1 file deleted.')
    assert.equal(await total(), 4)
    assert.equal(await tab.getByRole('button', { name: 'Undo' }).count(), 0)
  })

  test('are changed, deleted and restored by forms without script', async () => {
    const site = await startBrowserSite()
    await using _ = site
    const { app, tenant } = site
    const key = await keyOf(app, tenant, 'write')
    for (const title of ['One', 'Two', 'Three']) await uploaded(app, tenant, { fields: { title } })
    const tab = await site.open({ as: ada, javaScriptEnabled: false })
    await tab.goto(site.at('/mine'))
    await box(tab, 'One').check()
    await box(tab, 'Two').check()
    await press(tab, 'Tags')
    await tab.getByText('2 files selected.').waitFor()
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByText('Choose at least one change.').waitFor()
    await tab.getByLabel('Add tags').fill('dusk')
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByRole('heading', { name: 'My files' }).waitFor()
    const tagged = (await ask5(app, tenant, 'GET files?tag=dusk', { key })).json.data
    assert.deepEqual(tagged.map(({ title }: { title: string }) => title).sort(), ['One', 'Two'])
    await box(tab, 'One').check()
    await press(tab, 'Copy')
    assert.match(await tab.getByLabel('One per line').inputValue(), /^http.*\.png$/)
    await tab.getByRole('link', { name: 'Back to the list' }).click()
    await box(tab, 'One').check()
    await box(tab, 'Three').check()
    await press(tab, 'Delete')
    await tab.getByText('2 files moved to trash.').waitFor()
    await tab.getByRole('button', { name: 'Undo' }).click()
    await box(tab, 'Three').check()
    await press(tab, 'Delete')
    await tab.getByRole('link', { name: 'Trash' }).click()
    await tab.getByRole('checkbox', { name: 'Select Three' }).check()
    await press(tab, 'Delete for good')
    await tab.getByRole('heading', { name: 'Delete for good?' }).waitFor()
    await tab.getByRole('button', { name: 'Delete for good' }).click()
    await tab.getByRole('heading', { name: 'The trash is empty' }).waitFor()
    await tab.goto(site.at('/mine'))
    await box(tab, 'One').check()
    await press(tab, 'Delete')
    await tab.getByRole('link', { name: 'Trash' }).click()
    await tab.getByRole('button', { name: 'Restore all' }).click()
    await tab.getByRole('heading', { name: 'The trash is empty' }).waitFor()
    await tab.goto(site.at('/mine'))
    await box(tab, 'One').check()
    await press(tab, 'Delete')
    await tab.getByRole('link', { name: 'Trash' }).click()
    await tab.getByRole('button', { name: 'Empty trash' }).click()
    await tab.getByRole('heading', { name: 'Empty the trash?' }).waitFor()
    await tab.getByRole('button', { name: 'Empty trash' }).click()
    await tab.getByRole('heading', { name: 'The trash is empty' }).waitFor()
    assert.equal((await ask5(app, tenant, 'GET files?user_id=me', { key })).json.data.length, 1)
  })
})

/** Violations of the policy, and scripts that fail. */
function watch(tab: Page): string[] {
  const found: string[] = []
  tab.on('pageerror', (error) => found.push(error.message))
  tab.on('console', (message) => {
    if (/Content Security Policy|TrustedHTML/i.test(message.text())) found.push(message.text())
  })
  return found
}

async function axeIsContent(tab: Page): Promise<void> {
  const axe = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')
  await tab.evaluate(`${axe}; undefined`)
  const found = await tab.evaluate(
    `axe.run(document).then(({ violations }) => violations.filter(({ impact }) => impact !== 'minor').map(({ id, nodes }) => id + nodes.map(({ html }) => html)))`,
  )
  assert.deepEqual(found, [])
}
