import assert from 'node:assert/strict'
import { test } from 'vitest'
import { settingTable } from '../../src/site/index.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
import { set } from '../support/uploads.ts'

interface WrittenSetting {
  name: string
  value: unknown
  default: unknown
}

onEachStore('settings by /api/5', (store) => {
  test('are listed with typed values, default, help and limit', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    await set(app, cats, { max_file_size_user: '2M' })
    const { status, json } = await ask5(app, cats, 'GET settings', { key })
    assert.equal(status, 200)
    const names = json.data.map(({ name }: WrittenSetting) => name)
    assert.deepEqual(names, Object.keys(settingTable).sort())
    const shown = Object.fromEntries(json.data.map((setting: WrittenSetting) => [setting.name, setting]))
    assert.deepEqual(shown.max_file_size_user, {
      name: 'max_file_size_user',
      value: 2_000_000,
      default: 100_000_000,
      help: 'Maximum file size for users',
      limit: 'a whole number of bytes; 0: as much as the operator allows',
    })
    assert.deepEqual(
      [shown.enable_svg.value, shown.trash_days.value, shown.listing.value],
      [false, 30, 'off'],
    )
    assert.deepEqual([shown.protect_bytes.value, shown.protect_bytes.default], [true, false])
  })

  test('change all together or not at all, and null is the default again', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const patch = (body: unknown) => ask5(app, cats, 'PATCH settings', { key, body })
    const values = async () =>
      Object.fromEntries(
        (await ask5(app, cats, 'GET settings', { key })).json.data.map(({ name, value }: WrittenSetting) => [
          name,
          value,
        ]),
      )
    const before = await values()
    const changed = await patch({
      listing: 'members',
      trash_days: 7,
      enable_svg: true,
      max_file_size_guest: 5_000,
    })
    assert.equal(changed.status, 200, changed.text)
    const after = {
      ...before,
      listing: 'members',
      trash_days: 7,
      enable_svg: true,
      max_file_size_guest: 5_000,
    }
    assert.deepEqual(await values(), after)

    const refused = await patch({
      listing: 'some',
      trash_days: 36_501,
      timezone: 'Moon/Crater',
      duplicates: 'reject',
    })
    assert.deepEqual(problem(refused), [400, 'invalid'])
    const pointers = refused.json.errors.map(({ pointer }: { pointer: string }) => pointer).sort()
    assert.deepEqual(pointers, ['#/listing', '#/timezone', '#/trash_days'])
    for (const body of [
      {},
      { unknown: 1 },
      { listing: 1 },
      { trash_days: '7' },
      { trash_days: -1 },
      { enable_svg: 1 },
    ])
      assert.deepEqual(problem(await patch(body)), [400, 'invalid'], JSON.stringify(body))
    assert.deepEqual(await values(), after)

    await patch({ listing: null, trash_days: null, enable_svg: null, max_file_size_guest: null })
    assert.deepEqual(await values(), before)
  })
})
