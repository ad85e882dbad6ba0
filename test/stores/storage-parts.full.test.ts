import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { needing } from '../support/needs.ts'
import { openS3 } from '../support/stores/storage-backends.ts'
import { contentOf, keysOf } from '../support/stores/storage-contract.ts'

const bucketed = await needing('radosgw')

bucketed.test(
  'a long file goes in parts to a real S3 server: the same rules, and nothing unfinished stays',
  async () => {
    await using backend = await openS3('terrace')
    const { storage } = backend
    const film = randomBytes(70_000_000)
    const [one, two] = [await backend.tempFile(film), await backend.tempFile(film)]
    const puts = [one, two].map((path) => storage.put([{ key: 'films/a.mp4', path }]))
    const outcomes = await Promise.allSettled(puts)
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    const lost = outcomes.find((outcome) => outcome.status === 'rejected')
    assert.equal(lost?.reason.code, 'key-taken')

    assert.ok(film.equals(await contentOf(storage, 'films/a.mp4')))
    const [entry] = await storage.list('films', undefined, 10)
    assert.equal(entry?.sizeBytes, film.length)
    await storage.removeAll('films')
    assert.deepEqual(await keysOf(storage), [])
  },
)
