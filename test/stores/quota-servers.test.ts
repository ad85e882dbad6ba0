import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ask } from '../support/delivered.ts'
import { startTestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { until } from '../support/until.ts'
import { picture, statsOf, upload, uploaded, writeViewsOf } from '../support/uploads.ts'

const free = {
  SERVICE_ENABLE_UPLOAD_FLOOD_PROTECTION: '0',
  SERVICE_RATE_READS: '0',
  SERVICE_QUOTA_ALERT: '20,40,60,80,100',
}

test('two servers at the last byte store no byte too many, and alert once for each threshold', async () => {
  await using here = await startTestApp({ store: 'postgres' })
  await using there = await startTestApp({ beside: here })
  const cats = await here.tenant('cats')
  const key = await keyOf(here, cats, 'admin')
  await uploaded(here, cats)
  const { storage_used: one = 0 } = await statsOf(here, cats)
  const value = Math.floor(6.5 * one)
  await here.call('PATCH', 'tenants/cats', { env: free, limits: { SERVICE_MAX_STORAGE: String(value) } })
  const files = await Promise.all(Array.from({ length: 16 }, (_, index) => picture({ seed: index + 1 })))
  const answers = await Promise.all(
    files.map((file, index) => upload(index % 2 === 0 ? here : there, cats, { file })),
  )
  assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [200, 403])
  const { storage_used: used = 0 } = await statsOf(here, cats)
  assert.ok(used <= value && used > value - 2 * one, `${used} of ${value}`)
  const { data } = (await ask5(here, cats, 'GET audit?limit=200', { key })).json
  const told = data
    .filter(({ verb }: { verb: string }) => verb.startsWith('quota.'))
    .map(({ verb, after }: any) => after.percent ?? verb)
    .reverse()
  assert.deepEqual(told, [20, 40, 60, 80, 'quota.reached'])
})

test('traffic that one server has used up is refused by the other one too', async () => {
  await using here = await startTestApp({ store: 'postgres' })
  await using there = await startTestApp({ beside: here })
  const cats = await here.tenant('cats')
  const key = await keyOf(here, cats, 'admin')
  const { url } = await uploaded(here, cats)
  await here.call('PATCH', 'tenants/cats', { env: free, limits: { SERVICE_MAX_TRAFFIC: '10' } })
  const at = (app: { port: number }) => ask(app, url)
  assert.deepEqual([(await at(here)).status, (await at(there)).status], [200, 200])
  await Promise.all([writeViewsOf(here, cats, 0), writeViewsOf(there, cats, 0)])
  for (const app of [here, there])
    await until(async () => (await at(app)).status === 429, 'the refusal of both servers')
  const { data } = (await ask5(there, cats, 'GET audit?limit=200', { key })).json
  const verbs = data.map(({ verb }: { verb: string }) => verb)
  assert.equal(verbs.filter((verb: string) => verb === 'quota.reached').length, 1)
  assert.equal(verbs.filter((verb: string) => verb === 'quota.alert').length, 5)
})
