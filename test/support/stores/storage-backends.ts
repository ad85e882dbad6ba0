import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { openDiskStorage, openS3Storage } from '../../../src/storage/index.ts'
import { radosgwOfRun } from './radosgw.ts'
import type { StorageUnderTest } from './storage-contract.ts'

const radosgw = await radosgwOfRun()

/** A storage in a folder of its own. */
export async function openDisk(): Promise<StorageUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-storage-'))
  const storage = await openDiskStorage({ root: join(folder, 'files') })
  return {
    storage,
    tempFile: (bytes: Buffer | string) => writeTemp(folder, bytes),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}

/** A storage in a bucket of the run's S3 server. */
export async function openS3(bucket: string, folder = ''): Promise<StorageUnderTest> {
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
