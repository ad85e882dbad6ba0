import assert from 'node:assert/strict'
import { test } from 'vitest'
import { axeFindings, watchFaults } from '../support/browsers/browser-checks.ts'
import { ada, startBrowserSite } from '../support/browsers/browser-site.ts'
import { ask5, keyOf } from '../support/media.ts'
import { needing } from '../support/needs.ts'
import { until } from '../support/until.ts'
import { set, uploaded } from '../support/uploads.ts'

const browsing = await needing('chromium')

browsing.describe('suggestions of the search', () => {
  test('are chosen by keys and by mouse, on every page and on that of the search', async () => {
    await using site = await startBrowserSite()
    const { app, tenant } = site
    await set(app, tenant, { listing: 'public' })
    const key = await keyOf(app, tenant, 'write')
    await ask5(app, tenant, 'POST albums', { key, body: { title: 'Dust & <b>bones</b>' } })
    await uploaded(app, tenant, { fields: { title: 'Harbour', tags: 'dusk' } })
    const tab = await site.open({ as: ada, viewport: { width: 1280, height: 800 } })
    const faults = watchFaults(tab)
    await tab.goto(site.at('/explore'))
    await tab.keyboard.press('/')
    const field = tab.getByRole('combobox', { name: 'Search' })
    await field.pressSequentially('d')
    assert.equal(await field.getAttribute('aria-expanded'), 'false')
    await field.pressSequentially('u')
    const list = tab.getByRole('listbox', { name: 'Suggestions' })
    await list.getByRole('option', { name: 'dusk' }).waitFor()
    assert.equal(await field.getAttribute('aria-expanded'), 'true')
    assert.equal(await field.getAttribute('aria-controls'), await list.getAttribute('id'))
    assert.deepEqual(await axeFindings(tab), [])
    await tab.keyboard.press('ArrowDown')
    const active = await field.getAttribute('aria-activedescendant')
    assert.equal(await tab.locator(`[id="${active}"]`).getAttribute('aria-selected'), 'true')
    await tab.keyboard.press('Enter')
    await tab.getByRole('heading', { level: 1, name: 'dusk' }).waitFor()

    await tab.goto(site.at('/search'))
    await tab.getByRole('searchbox').fill('dust')
    await list.getByRole('option', { name: 'Dust & <b>bones</b>' }).click()
    await tab.getByRole('heading', { level: 1, name: 'Dust & <b>bones</b>' }).waitFor()

    await tab.goto(site.at('/search'))
    await tab.getByRole('searchbox').fill('du')
    await list.waitFor()
    await tab.keyboard.press('Escape')
    await until(async () => !(await list.isVisible()), 'Escape closes the list')
    assert.equal(await tab.getByRole('combobox', { expanded: false }).count(), 1)
    await tab.getByRole('combobox').fill('harbour')
    await tab.keyboard.press('Enter')
    await tab.getByRole('heading', { level: 1, name: 'Search: 1 result' }).waitFor()
    assert.deepEqual(faults, [])

    const plain = await site.open({ as: ada, javaScriptEnabled: false })
    await plain.goto(site.at('/explore'))
    assert.equal(await plain.getByRole('searchbox', { name: 'Search' }).count(), 1)
    assert.equal(await plain.getByRole('combobox', { name: 'Search' }).count(), 0)
  })
})
