import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { type BrowserConsole, startBrowserConsole } from '../support/console.ts'
import { needing } from '../support/needs.ts'

const browsing = await needing('chromium')

browsing.describe('the focus in the console', () => {
  let place: BrowserConsole
  beforeAll(async () => {
    place = await startBrowserConsole()
    const { app } = place
    await app.tenant('cats')
    await app.tenant('dogs')
    await app.call('POST', 'tenants-plans', { id: 'small' })
  })
  afterAll(async () => {
    await place?.[Symbol.asyncDispose]()
  })

  /** Fills the fields in and sends the form with the key of its last one. */
  async function send(tab: Page, path: string, fields: Readonly<Record<string, string>>) {
    await tab.goto(place.at(path))
    for (const [name, value] of Object.entries(fields))
      await tab.locator(`main [name="${name}"]`).first().fill(value)
    await Promise.all([tab.waitForEvent('domcontentloaded'), tab.keyboard.press('Enter')])
    await tab.waitForFunction('document.activeElement !== document.body')
    return tab.evaluate(`document.activeElement.name || document.activeElement.textContent`)
  }

  test('is on the field that was refused, which keeps its text and says why', async () => {
    const tab = await place.open()
    for (const [path, fields, focused] of [
      ['tenants/new', { id: 'a', hostname: 'dogs.test' }, 'hostname'],
      ['tenants/new', { hostname: 'x.test', id: 'cats' }, 'id'],
      ['tenants/cats', { hostname: 'dogs.test' }, 'hostname'],
      ['tenants/cats/delete', { confirm: 'dogs' }, 'confirm'],
      ['tenants/cats/values', { name: 'SERVICE_MAX_FILES', value: 'many' }, 'value'],
      ['plans/new', { id: 'small' }, 'id'],
      ['plans/small', { name: 'SERVICE_MAX_FILES', value: 'many' }, 'value'],
      ['operators', { username: 'grace' }, 'username'],
      ['me', { password: 'another long password', current: 'wrong' }, 'current'],
    ] as const) {
      assert.equal(await send(tab, path, fields), focused, path)
      const [fault, text] = (await tab.evaluate(`(() => {
        const field = document.activeElement
        const notes = (field.getAttribute('aria-describedby') ?? '').split(' ')
        return [notes.map((id) => document.getElementById(id)?.textContent ?? '').join(' '), field.value]
      })()`)) as [string, string]
      assert.notEqual(fault.trim(), '', `${path} says why`)
      const sent = (fields as Readonly<Record<string, string>>)[focused]
      assert.equal(text, path === 'me' ? '' : sent, `${path} keeps what was typed`)
    }
  })

  test('is on the preview of a plan, and Save is the next stop', async () => {
    const tab = await place.open()
    const fields = { name: 'SERVICE_MAX_FILES', value: '5' }
    assert.equal(await send(tab, 'plans/small', fields), 'What this changes')
    await tab.keyboard.press('Tab')
    assert.equal(await tab.evaluate('document.activeElement.textContent'), 'Save')
    await Promise.all([tab.waitForURL(/saved=1/), tab.keyboard.press('Enter')])
  })

  test('is seen at every stop, and on the page', { timeout: 120_000 }, async () => {
    const tab = await place.open()
    for (const path of ['', 'tenants', 'tenants/cats', 'plans/small', 'operators', 'audit', 'me']) {
      await tab.goto(place.at(path))
      for (let stop = 0; stop < 80; stop += 1) {
        await tab.keyboard.press('Tab')
        const found = (await tab.evaluate(seen)) as string | undefined
        if (found === undefined) break
        assert.equal(found, '', `${path}, stop ${stop}`)
      }
    }
  })
})

/** Empty if there is a ring within the window; undefined at the end of the page. The calendar of a date has a ring of the browser's. */
const seen = `(() => {
  const part = document.activeElement
  if (part === document.body) return undefined
  const { outlineStyle, outlineWidth } = getComputedStyle(part)
  const { top, bottom, width } = part.getBoundingClientRect()
  const name = part.ariaLabel || part.textContent.trim() || part.name
  const isInCalendar = part.type === 'date' && !part.matches(':focus-visible')
  if (!isInCalendar && (outlineStyle === 'none' || parseFloat(outlineWidth) < 2)) return 'no ring: ' + name
  return bottom <= 0 || top >= innerHeight || width < 2 ? 'not seen: ' + name : ''
})()`
