import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { test } from 'vitest'
import { openDiskStorage, openS3Storage } from '../../src/storage/index.ts'
import { needing } from '../support/needs.ts'
import { radosgwOfRun } from '../support/radosgw.ts'
import { contentOf, keysOf, storageContract } from '../support/storage-contract.ts'

storageContract('on a disk', openDisk, { propertyRuns: 100 })

const radosgw = await radosgwOfRun()
const bucketed = await needing('radosgw')

bucketed.describe('against a real S3 server', () => {
  storageContract('in a bucket', () => openS3('terrace'), { propertyRuns: 15 })
  storageContract('in a folder of a bucket', () => openS3('terrace', 'some/folder'), { propertyRuns: 5 })

  test('a long file goes in parts: the same rules, and nothing unfinished stays', async () => {
    await using place = await openS3('terrace')
    const { storage } = place
    const film = randomBytes(70_000_000)
    const [one, two] = [await place.tempFile(film), await place.tempFile(film)]
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
  })
})

async function openDisk() {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-storage-'))
  const storage = await openDiskStorage({ root: join(folder, 'files') })
  return {
    storage,
    tempFile: (bytes: Buffer | string) => writeTemp(folder, bytes),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}

async function openS3(bucket: string, folder = '') {
  if (radosgw === undefined) throw new Error('There is no S3 server.')
  const temp = await mkdtemp(join(tmpdir(), 'terrace-storage-'))
  await makeBucket(bucket)
  // A prefix of its own for each test; what other tests have stored beside it must not show.
  const url = `${radosgw.url(bucket)}${folder && `&path=${folder}`}`
  const storage = await openS3Storage({ url, prefix: `test-${randomBytes(6).toString('hex')}` })
  return {
    storage,
    tempFile: (bytes: Buffer | string) => writeTemp(temp, bytes),
    async [Symbol.asyncDispose]() {
      await storage[Symbol.asyncDispose]()
      await rm(temp, { recursive: true })
    },
  }
}

async function makeBucket(name: string): Promise<void> {
  if (radosgw === undefined) return
  const credentials = { accessKeyId: radosgw.accessKey, secretAccessKey: radosgw.secretKey }
  const client = new S3Client({
    endpoint: radosgw.endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials,
  })
  await client.send(new CreateBucketCommand({ Bucket: name }))
  client.destroy()
}

async function writeTemp(folder: string, bytes: Buffer | string): Promise<string> {
  const path = join(folder, randomBytes(8).toString('hex'))
  await writeFile(path, bytes)
  return path
}
