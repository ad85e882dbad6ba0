import assert from 'node:assert/strict'
import { test } from 'vitest'
import { dayAfter, dayOf } from '../../src/site/index.ts'
import { ask } from '../support/delivered.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { limit, moveTo, nowOf, picture, uploaded, writeViews } from '../support/uploads.ts'

const [hour, day] = [3_600, 86_400]

const nothing = { uploads: 0, upload_bytes: 0, downloads: 0, traffic_bytes: 0 }
type Counts = typeof nothing
const names = Object.keys(nothing) as (keyof Counts)[]
const countsOf = (row: Counts): Counts => ({
  ...nothing,
  ...Object.fromEntries(names.map((name) => [name, row[name]])),
})

const sumOf = (all: readonly Counts[]): Counts =>
  all.reduce(
    (sum, one) => Object.assign(sum, Object.fromEntries(names.map((name) => [name, sum[name] + one[name]]))),
    { ...nothing },
  )

onEachStore('the usage of a site whose clock is set back', (store) => {
  test('has what was done on days before the tenant was created, and no empty day before them', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const created = dayOf(nowOf(app))
    const rows = async (address: string) => {
      await writeViews(app)
      const { json } = await app.call('GET', address)
      return json.data.map((row: Counts & { date: string; files: number }) => [
        row.date,
        row.uploads,
        row.downloads,
        row.files,
      ])
    }
    app.wait(-2 * day)
    assert.deepEqual(await rows('tenants/cats/usage'), [])
    const before = dayOf(nowOf(app))
    const { url } = await uploaded(app, cats)
    await ask(app, url)
    for (const address of ['tenants/cats/usage', 'usage'])
      assert.deepEqual(await rows(address), [[before, 1, 1, 1]], address)
    app.wait(2 * day)
    const all = [
      [before, 1, 1, 1],
      [dayAfter(before), 0, 0, 1],
      [created, 0, 0, 1],
    ]
    for (const address of ['tenants/cats/usage', 'usage']) assert.deepEqual(await rows(address), all, address)
    assert.deepEqual(await rows(`usage?step=total&from=${before}`), [[before, 1, 1, 1]])
  })
})

onEachStore('the usage of a site whose clock jumps over the end of a month', (store) => {
  test('has all that was done on the day that the clock said, and nothing twice', async () => {
    await using app = await startTestApp({ store })
    const now = nowOf(app)
    const monthsEnd = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 2)
    moveTo(app, new Date(monthsEnd - 4 * day * 1_000).toISOString())
    const cats = await app.tenant('cats')
    await limit(app, cats, { SERVICE_ENABLE_UPLOAD_FLOOD_PROTECTION: '0', SERVICE_MAX_TRAFFIC: '1G' })
    moveTo(app, new Date(monthsEnd - 1_800_000).toISOString())

    const done = new Map<string, Counts>()
    const jumps = [0, hour, -hour, 2 * day, -2 * day, hour, -hour, 2 * day, -hour, hour, -2 * day, 2 * day]
    for (const [step, seconds] of jumps.entries()) {
      app.wait(seconds)
      const file = await picture({ seed: step + 1 })
      const { url } = await uploaded(app, cats, { file })
      const whole = await ask(app, url)
      const part = await ask(app, url, { range: 'bytes=5-14' })
      assert.deepEqual([whole.status, part.status], [200, 206])
      const today = dayOf(nowOf(app))
      const traffic = Number(whole.headers['content-length']) + 10
      const counts = { uploads: 1, upload_bytes: file.length, downloads: 1, traffic_bytes: traffic }
      done.set(today, sumOf([done.get(today) ?? nothing, counts]))
      // In other steps it is written after the next jump.
      if (step % 3 === 0) await writeViews(app)
    }
    await writeViews(app)

    const days = [...done.keys()].sort()
    const months = Map.groupBy(days, (date) => date.slice(0, 7))
    assert.deepEqual([days.length, months.size], [3, 2], 'days of both months')
    const rowsOf = async (step: string) => {
      const { status, json } = await app.call('GET', `tenants/cats/usage?step=${step}`)
      assert.equal(status, 200)
      return json.data as (Counts & { date: string; files: number })[]
    }
    const byDay = await rowsOf('day')
    assert.deepEqual(
      byDay.filter(({ uploads }) => uploads > 0).map((row) => [row.date, countsOf(row)]),
      days.map((date) => [date, done.get(date)]),
    )
    assert.deepEqual(
      (await rowsOf('month')).map((row) => [row.date, countsOf(row)]),
      [...months].map(([month, dates]) => [
        `${month}-01`,
        sumOf(dates.map((date) => done.get(date) ?? nothing)),
      ]),
    )
    const [total] = await rowsOf('total')
    assert.deepEqual(total && countsOf(total), sumOf([...done.values()]))
    assert.deepEqual([total?.files, byDay.at(-1)?.files], [jumps.length, jumps.length])
    // The quota counts the month of the clock.
    const [traffic] = (await app.call('GET', 'tenants/cats/quotas')).json.data
    const thisMonth = months.get(dayOf(nowOf(app)).slice(0, 7)) ?? []
    assert.equal(traffic.used, sumOf(thisMonth.map((date) => done.get(date) ?? nothing)).traffic_bytes)
  })
})
