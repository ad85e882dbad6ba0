import { randomBytes } from 'node:crypto'
import { CreateBucketCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import type { Radosgw } from './radosgw.ts'

export interface Bucket {
  /** As `SERVICE_STORAGE_URL` takes it. */
  url: string
  /** Every key in it, in order. */
  keys(): Promise<string[]>
}

/** A new, empty bucket on a real S3 server, reached at another port when something stands in between. */
export async function freshBucket(radosgw: Radosgw, port?: number): Promise<Bucket> {
  const name = `terrace-${randomBytes(6).toString('hex')}`
  await using client = clientOf(radosgw)
  await client.send(new CreateBucketCommand({ Bucket: name }))
  return {
    url: port === undefined ? radosgw.url(name) : throughPort(radosgw.url(name), port),
    keys: () => keysOf(radosgw, name),
  }
}

const throughPort = (url: string, port: number) => url.replace(/@127\.0\.0\.1:\d+\//, `@127.0.0.1:${port}/`)

async function keysOf(radosgw: Radosgw, name: string): Promise<string[]> {
  await using client = clientOf(radosgw)
  const keys: string[] = []
  for (let token: string | undefined; ; ) {
    const command = new ListObjectsV2Command({ Bucket: name, ContinuationToken: token })
    const { Contents = [], NextContinuationToken } = await client.send(command)
    keys.push(...Contents.map(({ Key = '' }) => Key))
    if (NextContinuationToken === undefined) return keys
    token = NextContinuationToken
  }
}

function clientOf({ endpoint, accessKey, secretKey }: Radosgw) {
  const credentials = { accessKeyId: accessKey, secretAccessKey: secretKey }
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials })
  return {
    send: client.send.bind(client) as S3Client['send'],
    async [Symbol.asyncDispose]() {
      client.destroy()
    },
  }
}
