import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { test } from 'vitest'
import { axeFindings, watchFaults } from '../../support/browsers/browser-checks.ts'
import { ada, gridTakenOver, pasteInto, startBrowserSite } from '../../support/browsers/browser-site.ts'
import { manyFiles } from '../../support/fixtures/many-files.ts'
import { ask5, keyOf } from '../../support/media.ts'
import { needing } from '../../support/needs.ts'
import { until } from '../../support/until.ts'
import { onSiteOf, picture, set, uploaded } from '../../support/uploads.ts'

const browsing = await needing('chromium')
const screen = { viewport: { width: 1280, height: 800 } }
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

browsing.describe('a tile', () => {
  const item = (tab: Page, name: string) =>
    tab.getByRole('listitem').filter({ has: tab.locator('.caption', { hasText: name }) })

  test('shows its marks: private, sensitive, and the length of a video', async () => {
    await using site = await startBrowserSite()
    const { app, tenant } = site
    await set(app, tenant, { listing: 'public' })
    const key = await keyOf(app, tenant, 'write')
    const upload = async (seed: number, title: string) =>
      (
        await uploaded(app, tenant, {
          file: await picture({ seed, width: 300, height: 300 }),
          fields: { title },
        })
      ).id_encoded
    await upload(1, 'Dusk')
    const secret = await upload(2, 'Secret')
    await ask5(app, tenant, `PATCH files/${secret}`, { key, body: { is_private: true } })
    const adult = await upload(3, 'Adult')
    await ask5(app, tenant, `PATCH files/${adult}`, { key, body: { is_nsfw: true } })
    const clip = await upload(4, 'Clip')
    // A video in the eyes of lists; none is decoded for it.
    await onSiteOf(app, tenant, ({ db }) =>
      db.updateTable('file').set({ type: 'video', durationSeconds: 65 }).where('id', '=', clip).execute(),
    )

    for (const options of [screen, phone]) {
      const tab = await site.open({ as: ada, ...options })
      const faults = watchFaults(tab)
      await tab.goto(site.at('/mine'))
      await gridTakenOver(tab)
      await item(tab, 'Secret').getByRole('img', { name: 'Private' }).waitFor()
      assert.equal(await tab.getByRole('img', { name: 'Private' }).count(), 1)
      await item(tab, 'Adult').getByText('Sensitive content').waitFor()
      await item(tab, 'Clip').getByText('1:05').waitFor()
      assert.deepEqual(await axeFindings(tab), [])
      assert.deepEqual(faults, [])
    }
  })

  test('shows title and owner to the pointer, the focus and a finger', async () => {
    await using site = await startBrowserSite()
    await uploaded(site.app, site.tenant, {
      file: await picture({ width: 300, height: 300 }),
      fields: { title: 'Dusk' },
    })
    for (const options of [screen, phone]) {
      const tab = await site.open({ as: ada, ...options, permissions: ['clipboard-read', 'clipboard-write'] })
      const faults = watchFaults(tab)
      await tab.goto(site.at('/mine'))
      await gridTakenOver(tab)
      const dusk = item(tab, 'Dusk')
      const isSeen = () =>
        dusk.locator('.caption').evaluate((caption) => caption.checkVisibility({ opacityProperty: true }))
      assert.equal(await isSeen(), false)
      const link = tab.getByRole('link', { name: 'Dusk', exact: true })
      if (options === phone) {
        const { x = 0, y = 0 } = (await link.boundingBox()) ?? {}
        const client = await tab.context().newCDPSession(tab)
        await client.send('Input.dispatchTouchEvent', {
          type: 'touchStart',
          touchPoints: [{ x: x + 60, y: y + 60 }],
        })
        await until(isSeen, 'The title is seen below the finger')
        await client.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
        continue
      }
      await link.focus()
      await until(isSeen, 'The focus shows the title')
      await link.hover()
      await until(isSeen, 'The pointer shows the title')
      await dusk.getByText('ada', { exact: true }).waitFor()
      await dusk.getByRole('button', { name: 'Copy link: Dusk' }).click()
      await tab.getByText('Copied').waitFor()
      assert.match(await pasteInto(tab), /^http.*\.png$/)
      assert.deepEqual(await axeFindings(tab), [])
      assert.deepEqual(faults, [])
    }
  })
})

browsing.describe('the newest files of the dashboard', () => {
  test('are squares of one size, in the last row too', async () => {
    await using site = await startBrowserSite()
    await manyFiles(site.app, site.tenant, 12)
    for (const width of [390, 768, 1280, 1920]) {
      const tab = await site.open({ as: ada, viewport: { width, height: 800 } })
      await tab.goto(site.at('/dashboard'))
      const sizes: string[] = await tab.evaluate(`[...document.querySelectorAll('.tile')].map((tile) => {
        const { width, height } = tile.getBoundingClientRect()
        return [width, height].map(Math.round).join(' x ')
      })`)
      assert.equal(sizes.length, 12)
      assert.equal(new Set(sizes).size, 1, `${width}: ${sizes.join(', ')}`)
    }
  })
})

/** Files of 30 months, eight of each. */
async function startYears() {
  const site = await startBrowserSite()
  const { app, tenant } = site
  await set(app, tenant, { listing: 'public' })
  await manyFiles(app, tenant, 240)
  await onSiteOf(app, tenant, async (opened) => {
    for (let month = 0; month < 30; month += 1) {
      const at = new Date(Date.UTC(2026, 9 - month, 15)).toISOString()
      const ids = Array.from({ length: 8 }, (_, each) => `f${month * 8 + each}`)
      await opened.db.updateTable('file').set({ createdAt: at }).where('id', 'in', ids).execute()
    }
  })
  return site
}

/** The months of the row at the top of the window, counted from the newest. */
const monthsSeen = async (tab: Page): Promise<number[]> => {
  const ids: string[] = await tab.evaluate(`(() => {
    const tiles = [...document.querySelectorAll('.tile')].filter((tile) => tile.getBoundingClientRect().bottom > 40)
    const top = Math.min(...tiles.map((tile) => tile.getBoundingClientRect().top))
    const row = tiles.filter((tile) => tile.getBoundingClientRect().top < top + 5)
    return row.map((tile) => tile.querySelector('a').dataset.id ?? '')
  })()`)
  return ids.map((id) => Math.floor(Number(id.slice(1)) / 8))
}

browsing.describe('the rail of dates', () => {
  test('jumps to a month by click, by keys and by drag, and is hidden in short lists and other orders', async () => {
    await using site = await startYears()
    const tab = await site.open({ as: ada, ...screen })
    const faults = watchFaults(tab)
    await tab.goto(site.at('/explore'))
    const rail = tab.getByRole('navigation', { name: 'Jump to a date' })
    // Ten months before the newest.
    const year = rail.getByRole('button', { name: 'December 2025' })
    await year.click()
    await until(async () => (await monthsSeen(tab)).includes(10), 'December 2025 is seen')
    assert.equal(await year.getAttribute('aria-current'), 'true')
    await year.focus()
    await tab.keyboard.press('Home')
    await until(async () => (await monthsSeen(tab)).includes(0), 'The newest month is seen')
    await tab.keyboard.press('ArrowDown')
    await until(async () => !(await monthsSeen(tab)).includes(0), 'An older month is seen')
    const box = (await rail.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    const x = box.x + box.width / 2
    await tab.mouse.move(x, box.y + 20)
    await tab.mouse.down()
    await tab.mouse.move(x, box.y + box.height / 2, { steps: 5 })
    await rail.locator('output').waitFor()
    await tab.mouse.move(x, box.y + box.height - 4, { steps: 5 })
    await tab.mouse.up()
    await until(async () => (await tab.locator('[data-id=f239]').count()) === 1, 'The oldest file is there')
    assert.deepEqual(await axeFindings(tab), [])
    for (const path of ['/explore?sort=popular', '/mine?sort=liked', '/mine/trash']) {
      await tab.goto(site.at(path))
      assert.equal(await rail.count(), 0, path)
    }
    assert.deepEqual(faults, [])
  })
})
