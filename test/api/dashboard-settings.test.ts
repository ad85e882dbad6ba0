import assert from 'node:assert/strict'
import { test } from 'vitest'
import {
  brandSettings,
  isSettingsPart,
  settingsOf,
  settingsParts,
} from '../../src/pages/dashboard/settings/setting-parts.ts'
import { readSettings, settingTable } from '../../src/site/index.ts'
import { markupStrings } from '../support/fixtures/markup-strings.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { visitAs } from '../support/pages.ts'
import { onSiteOf } from '../support/uploads.ts'

/** The fields of a settings page, as a browser would send them back. */
function fieldsIn(text: string): Record<string, string> {
  const unescaped = (value: string) => value.replaceAll('&quot;', '"').replaceAll('&amp;', '&')
  const seen = [...text.matchAll(/name="seen_(\w+)" value="([^"]*)"/g)]
  return Object.fromEntries(
    seen.flatMap(([, name = '', value = '']) => [
      [`seen_${name}`, unescaped(value)],
      [name, unescaped(value)],
    ]),
  )
}

test('every setting is on one page of the dashboard', () => {
  const shown = [...brandSettings, ...settingsParts.flatMap((part) => [...settingsOf(part)])]
  assert.deepEqual(shown.toSorted(), Object.keys(settingTable).toSorted())
  assert.ok(!isSettingsPart('constructor'))
})

onEachStore('the settings of the dashboard', (store) => {
  test('every part is shown and saved as it is; a change is kept', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const ada = await visitAs(app, cats)
    const before = await onSiteOf(app, cats, readSettings)
    for (const part of settingsParts) {
      const shown = await ada.show(`/dashboard/settings/${part}`)
      assert.equal(shown.status, 200, part)
      if (settingsOf(part).length === 0) assert.match(shown.text, /Set by your operator’s plan/)
      const saved = await ada.send(`/dashboard/settings/${part}`, fieldsIn(shown.text))
      assert.equal(saved.headers.location, `/dashboard/settings/${part}?saved=1`)
    }
    assert.deepEqual(await onSiteOf(app, cats, readSettings), before)

    const fields = fieldsIn((await ada.show('/dashboard/settings/listing')).text)
    await ada.send('/dashboard/settings/listing', { ...fields, listing: 'public', trash_days: '7' })
    const { listing, trash_days: days } = await onSiteOf(app, cats, readSettings)
    assert.deepEqual([listing, days], ['public', '7'])
    assert.equal((await ada.show('/dashboard/settings')).headers.location, '/dashboard/settings/general')
    for (const part of ['none', 'constructor'])
      assert.equal((await ada.show(`/dashboard/settings/${part}`)).status, 404)
  })

  test('one refused value saves nothing, and every field keeps its text', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const ada = await visitAs(app, cats)
    const fields = fieldsIn((await ada.show('/dashboard/settings/listing')).text)
    const wrong = { ...fields, listing: 'public', trash_days: '"><b>many' }
    const refused = await ada.send('/dashboard/settings/listing', wrong)
    assert.equal(refused.status, 400)
    assert.match(
      refused.text,
      /value="&quot;&gt;&lt;b&gt;many"[^>]*autofocus|autofocus[^>]*value="&quot;&gt;&lt;b&gt;many"/,
    )
    assert.match(refused.text, /Enter a whole number from 0 to 36500/)
    assert.match(refused.text, /<option value="public" selected>/)
    assert.equal((await onSiteOf(app, cats, readSettings)).listing, 'off')
    for (const text of markupStrings.slice(0, 8)) {
      const answer = await ada.send('/dashboard/settings/security', { public_key: text, seen_public_key: '' })
      assert.ok(!answer.text.includes(text), text)
    }
  })

  test('another’s change is not overwritten unseen; changes of other settings are no conflict', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const [ada, other] = [await visitAs(app, cats), await visitAs(app, cats)]
    const fields = fieldsIn((await ada.show('/dashboard/settings/listing')).text)
    await other.send('/dashboard/settings/listing', { ...fields, trash_days: '5' })
    const free = await ada.send('/dashboard/settings/listing', { ...fields, listing: 'members' })
    assert.equal(free.status, 303)
    const late = await ada.send('/dashboard/settings/listing', { ...fields, trash_days: '9' })
    assert.equal(late.status, 409)
    assert.match(late.text, /Another administrator changed/)
    assert.equal((await onSiteOf(app, cats, readSettings)).trash_days, '5')
    const again = { ...fieldsIn(late.text), trash_days: '9' }
    assert.equal((await ada.send('/dashboard/settings/listing', again)).status, 303)
    const { trash_days: days, listing } = await onSiteOf(app, cats, readSettings)
    assert.deepEqual([days, listing], ['9', 'members'])
  })

  test('what the operator rules is shown beside the field', async () => {
    await using app = await startTestApp({
      store,
      environment: { SERVICE_ENABLE_UPLOAD_URL: '0', SERVICE_MAX_UPLOAD_SIZE: '3M', SERVICE_MAX_USERS: '7' },
    })
    const cats = await app.tenant('cats')
    const ada = await visitAs(app, cats)
    const { text } = await ada.show('/dashboard/settings/uploads')
    assert.match(text, /Default: Off\. Your operator’s plan turns this off/)
    assert.match(text, /Your operator’s plan allows up to 3(\.1)?\S* MB/)
    assert.match((await ada.show('/dashboard/settings/users')).text, /User limit[\s\S]*?>7</)
  })
})
