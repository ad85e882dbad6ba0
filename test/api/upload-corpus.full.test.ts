import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { test } from 'vitest'
import { corpus } from '../support/fixtures/corpus.ts'
import { startTestApp } from '../support/harness.ts'
import { startStopwatch } from '../support/stopwatch.ts'
import { upload } from '../support/uploads.ts'

/** A limit of the service, not a measure of its speed: whoever takes longer was not stopped. */
const mostMs = 15_000
const lanes = 3

test('every file of a public collection is taken or refused, and others are answered meanwhile', async () => {
  await using app = await startTestApp({ environment: { SERVICE_RATE_READS: '0' } })
  const cats = await app.tenant('cats')
  await app.tenant('dogs')
  const files = globSync('*/*', { cwd: corpus })
  const troubles: string[] = []
  const statuses = new Map<number, number>()
  const queue = files.values()
  const lane = async () => {
    for (const name of queue) {
      const file = await readFile(join(corpus, name))
      using watch = startStopwatch()
      const { status, text } = await upload(app, cats, { file, fileName: asciiName(name) })
      const isLate = watch.ms() > mostMs
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (isLate || (status !== 200 && (status < 400 || status > 499)))
        troubles.push(`${name}: ${status} ${text}`)
      const neighbour = await app.send('GET', '/', { headers: { host: 'dogs.test' } })
      if (neighbour.status !== 200) troubles.push(`${name}: the neighbour got ${neighbour.status}`)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  console.info(`${files.length} files: ${JSON.stringify(Object.fromEntries(statuses))}`)
  assert.deepEqual(troubles, [])
  const { json } = await app.call('GET', 'tenants/cats')
  assert.equal(json.stats.files, statuses.get(200))
}, 600_000)

const asciiName = (name: string) => basename(name).replaceAll(/[^A-Za-z0-9_.-]/g, '_')
