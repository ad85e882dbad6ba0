import assert from 'node:assert/strict'
import { test } from 'vitest'
import { dayAfter, dayOf } from '../../src/site/index.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { until } from '../support/until.ts'
import { moveTo, nowOf, picture, uploaded, writeViews } from '../support/uploads.ts'

const ranges = ['', '&step=month', '&step=total', '&from=2020-01-01&step=total']

async function pagesOf(app: TestApp, query: string, limit: number): Promise<string[]> {
  const lines: string[] = []
  let cursor = ''
  do {
    const { status, json, text } = await app.call('GET', `usage?limit=${limit}${query}${cursor}`)
    assert.equal(status, 200, text)
    assert.ok(json.data.length <= limit)
    lines.push(...json.data.map((row: object) => Object.values(row).join()))
    cursor = json.next_cursor === null ? '' : `&cursor=${json.next_cursor}`
  } while (cursor !== '')
  return lines
}

/** The pages, which are kept, have what the CSV has, which is read anew each time. */
async function assertCurrent(apps: readonly TestApp[], what: string): Promise<string[]> {
  // Else the requests to the API are written between two reads.
  for (const app of apps) await writeViews(app)
  const all: string[] = []
  for (const query of ranges) {
    for (const [index, app] of apps.entries()) {
      const { text } = await app.call('GET', `usage?format=csv${query}`)
      const lines = text.trimEnd().split('\n').slice(1)
      for (const limit of [2, 1_000])
        assert.deepEqual(
          await pagesOf(app, query, limit),
          lines,
          `${what}, server ${index}, ${query}, ${limit}`,
        )
      all.push(...lines)
    }
  }
  return all
}

onEachStore('pages of the usage of all tenants', (store) => {
  test('have every change in the next read, at every server', async () => {
    await using app = await startTestApp({ store })
    await using other = await startTestApp({ store, beside: app })
    const apps = [app, other]
    const after = async (what: string, change: () => Promise<unknown>) => {
      const before = await assertCurrent(apps, `before ${what}`)
      await change()
      assert.notDeepEqual(await assertCurrent(apps, what), before, what)
    }
    const create = (id: string, plan?: string) =>
      app.call('POST', 'tenants', {
        id,
        hostname: `${id}.test`,
        is_enabled: true,
        ...(plan && { plan_id: plan }),
      })
    const wait = (days: number) => {
      for (const each of apps) each.wait(days * 86_400)
    }

    assert.equal((await app.call('POST', 'tenants-plans', { id: 'small' })).status, 201)
    assert.deepEqual(await assertCurrent(apps, 'no tenant'), [])
    for (const id of ['b', 'f']) assert.equal((await create(id, 'small')).status, 201)
    const d = await app.tenant('d')
    wait(3)

    const file = await uploaded(app, d)
    await after('an upload', async () => uploaded(app, d, { file: await picture({ seed: 2 }) }))
    await after('a deletion', async () =>
      ask5(app, d, `DELETE files/${file.id_encoded}?permanent=true`, { key: await keyOf(app, d, 'admin') }),
    )
    await after('a tenant before the others', () => create('a'))
    await after('a tenant between them', () => create('c'))
    await after('a tenant behind them', () => create('g'))
    await after('a removal', () => app.call('DELETE', 'tenants/b'))
    await after('the same id again', () => create('b'))
    await after('a day', async () => wait(1))
    await after('a clock that is set back', async () => wait(-2))
    await after('and on', async () => wait(2))
    await after('another retention of a tenant', () =>
      app.call('PATCH', 'tenants/d', { limits: { SERVICE_USAGE_DAYS: '2' } }),
    )
    await after('another retention of a plan', () =>
      app.call('PATCH', 'tenants-plans/small', { limits: { SERVICE_USAGE_DAYS: '1' } }),
    )
  })

  test('have cursors that are valid for a day after each answer', async () => {
    await using app = await startTestApp({ store })
    for (const id of ['a', 'b'])
      await app.call('POST', 'tenants', { id, hostname: `${id}.test`, is_enabled: true })
    moveTo(app, `${dayAfter(dayOf(nowOf(app)))}T00:05:00.000Z`)
    let first = await app.call('GET', 'usage?step=total&limit=1')
    // On PostgreSQL the notification of a creation may come after the first answer.
    await until(async () => {
      const { text } = first
      first = await app.call('GET', 'usage?step=total&limit=1')
      return first.text === text
    }, 'the page is kept')
    app.wait(23.5 * 3_600)
    // Nothing has changed: the page is the one that was kept.
    const again = await app.call('GET', 'usage?step=total&limit=1')
    assert.equal(again.text, first.text)
    app.wait(23.9 * 3_600)
    const next = await app.call('GET', `usage?step=total&limit=1&cursor=${again.json.next_cursor}`)
    assert.deepEqual([next.status, next.json.data[0].tenant], [200, 'b'])
    app.wait(24 * 3_600)
    const late = await app.call('GET', `usage?step=total&limit=1&cursor=${again.json.next_cursor}`)
    assert.equal(late.status, 400)

    // What an address asked for is kept as well, but no longer than its cursor is valid.
    moveTo(app, `${dayAfter(dayOf(nowOf(app)))}T12:00:00.000Z`)
    const noon = await app.call('GET', 'usage?step=total&limit=1')
    const address = `usage?step=total&limit=1&cursor=${noon.json.next_cursor}`
    app.wait(2 * 86_400 - 60)
    for (const status of [200, 200, 400]) {
      assert.equal((await app.call('GET', address)).status, status)
      if (status === 200) app.wait(59)
    }
    app.wait(-120)
    assert.equal((await app.call('GET', address)).status, 200)
  })

  test('follow the day that the clock says, at the same address', async () => {
    await using app = await startTestApp({ store })
    await app.call('POST', 'tenants', { id: 'a', hostname: 'a.test', is_enabled: true })
    const first = dayOf(nowOf(app))
    const dates = async () =>
      (await app.call('GET', 'usage')).json.data.map(({ date }: { date: string }) => date)
    assert.deepEqual(await dates(), [first])
    app.wait(86_400)
    assert.deepEqual(await dates(), [first, dayAfter(first)])
    app.wait(-86_400)
    assert.deepEqual(await dates(), [first])
  })
})
