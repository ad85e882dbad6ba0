import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { test } from 'vitest'
import { axeFindings, watchFaults } from '../../support/browsers/browser-checks.ts'
import { ada, type BrowserSite, startBrowserSite } from '../../support/browsers/browser-site.ts'
import { manyFiles } from '../../support/fixtures/many-files.ts'
import { ask5, keyOf } from '../../support/media.ts'
import { needing } from '../../support/needs.ts'
import { until } from '../../support/until.ts'
import { onSiteOf } from '../../support/uploads.ts'

const browsing = await needing('chromium')

const box = (tab: Page, title: string) => tab.getByRole('checkbox', { name: `Select ${title}`, exact: true })
const bar = (tab: Page) => tab.getByRole('group', { name: 'Selected files' })
const press = (tab: Page, name: string) => bar(tab).getByRole('button', { name, exact: true }).click()
const says = (tab: Page, text: string) => tab.getByText(text, { exact: true }).waitFor()
const isReady = (tab: Page) => tab.locator('[data-clear]:not([hidden])').waitFor({ state: 'attached' })

/** Files of ada, all in the trash. */
async function startTrash(count: number) {
  const site = await startBrowserSite()
  const { app, tenant } = site
  await manyFiles(app, tenant, count)
  await onSiteOf(app, tenant, ({ db, clock }) =>
    db.updateTable('file').set({ deletedAt: clock.now().toISOString() }).execute(),
  )
  const key = await keyOf(app, tenant, 'write')
  const left = async () =>
    (await ask5(app, tenant, 'GET files?trashed=true&count=true&limit=1', { key })).json.total.value
  return { site, left }
}

async function openTrash(site: BrowserSite, options: object = {}): Promise<Page> {
  const tab = await site.open({ as: ada, viewport: { width: 1280, height: 800 }, ...options })
  // The ten seconds of Undo must not pass on a slow machine.
  await tab.clock.setFixedTime(Date.now())
  await tab.goto(site.at('/mine/trash'))
  await isReady(tab)
  return tab
}

/**
 * Puts a finger on a link and returns what lifts it. A finger that the link has not felt, since the list moved or the dialog
 * before it was still on the screen, is lifted and put down again.
 */
async function holdDown(tab: Page, link: Locator): Promise<() => Promise<unknown>> {
  const client = await tab.context().newCDPSession(tab)
  const send = (type: 'touchStart' | 'touchEnd', touchPoints: { x: number; y: number }[]) =>
    client.send('Input.dispatchTouchEvent', { type, touchPoints })
  await link.evaluate((node) =>
    node.addEventListener('pointerdown', () => node.setAttribute('data-felt', '')),
  )
  await until(async () => {
    await link.scrollIntoViewIfNeeded()
    const { x = 0, y = 0 } = (await link.boundingBox()) ?? {}
    await send('touchStart', [{ x: x + 40, y: y + 60 }])
    if ((await link.getAttribute('data-felt')) !== null) return true
    await send('touchEnd', [])
    return false
  }, 'the link feels the finger')
  return () => send('touchEnd', [])
}

browsing.describe('the trash', () => {
  test('is restored and emptied by mouse and keys, with Undo or a question', {
    timeout: 180_000,
  }, async () => {
    const { site, left } = await startTrash(12)
    await using _ = site
    const tab = await openTrash(site)
    const faults = watchFaults(tab)
    // The drawing of the file is there, though its addresses are closed.
    const width = `document.querySelector('img[alt="File 0"]').naturalWidth`
    await until(async () => Number(await tab.evaluate(width)) > 0, 'its picture is shown')
    await box(tab, 'File 1').click()
    await tab.getByRole('link', { name: 'File 4', exact: true }).click({ modifiers: ['Control'] })
    await says(tab, '2 selected')
    await press(tab, 'Restore')
    await says(tab, '2 files restored.')
    assert.equal(await left(), 10)
    await tab.getByRole('button', { name: 'Undo' }).click()
    await says(tab, 'Undone for 2 files.')
    assert.equal(await left(), 12)

    await isReady(tab)
    await tab.getByRole('link', { name: 'File 1', exact: true }).focus()
    await tab.keyboard.press('x')
    await tab.keyboard.press('Shift+ArrowRight')
    await says(tab, '2 selected')
    await tab.keyboard.press('Delete')
    await tab.getByRole('heading', { name: 'Delete 2 files for good?' }).waitFor()
    assert.deepEqual(await axeFindings(tab), [])
    await tab.keyboard.press('Escape')
    assert.equal(await left(), 12)
    await tab.keyboard.press('Delete')
    await tab.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).press('Enter')
    await says(tab, '2 files deleted.')
    assert.equal(await left(), 10)

    await isReady(tab)
    await tab.getByRole('button', { name: 'Empty trash' }).click()
    await tab.getByRole('heading', { name: 'Delete 10 files for good?' }).waitFor()
    await tab.getByRole('dialog').getByRole('button', { name: 'Cancel' }).last().click()
    await until(async () => !(await bar(tab).isVisible()), 'nothing is selected')
    await tab.getByRole('button', { name: 'Restore all' }).click()
    await says(tab, '10 files restored.')
    await tab.getByRole('heading', { name: 'The trash is empty' }).waitFor()
    await tab.keyboard.press('Control+z')
    await says(tab, 'Undone for 10 files.')
    await tab.goto(site.at('/mine/trash'))
    await isReady(tab)
    await tab.keyboard.press('Control+a')
    await says(tab, 'All 10 selected')
    await press(tab, 'Delete for good')
    await tab.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).click()
    await tab.getByRole('heading', { name: 'The trash is empty' }).waitFor()
    assert.equal(await left(), 0)
    assert.deepEqual(faults, [])
  })

  test('opens a file over the list, from where it is restored, and takes long presses', {
    timeout: 180_000,
  }, async () => {
    const { site, left } = await startTrash(6)
    await using _ = site
    const tab = await openTrash(site, {
      hasTouch: true,
      isMobile: true,
      viewport: { width: 390, height: 800 },
    })
    const faults = watchFaults(tab)
    await tab.getByRole('link', { name: 'File 0', exact: true }).tap()
    const over = tab.getByRole('dialog', { name: 'File 0' })
    await over.getByRole('heading', { level: 1, name: 'File 0' }).waitFor()
    assert.match(new URL(tab.url()).pathname, /^\/mine\/trash\/\w+$/)
    assert.deepEqual(await axeFindings(tab), [])
    await tab.goBack()
    await over.waitFor({ state: 'detached' })
    const lift = await holdDown(tab, tab.getByRole('link', { name: 'File 2', exact: true }))
    await says(tab, '1 selected')
    await lift()
    assert.deepEqual(await axeFindings(tab), [])
    await press(tab, 'Restore')
    await says(tab, '1 file restored.')
    assert.equal(await left(), 5)
    await isReady(tab)
    await tab.getByRole('link', { name: 'File 1', exact: true }).tap()
    await tab.getByRole('dialog', { name: 'File 1' }).getByRole('button', { name: 'Restore' }).tap()
    await until(async () => (await left()) === 4, 'it is restored')
    await isReady(tab)
    assert.equal(new URL(tab.url()).pathname, '/mine/trash')
    assert.deepEqual(faults, [])
  })
})
