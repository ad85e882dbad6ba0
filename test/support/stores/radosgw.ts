import { addressOfRun } from '../run/run-servers.ts'

export interface Radosgw {
  /** For a bucket that does not exist yet. */
  url(bucket: string): string
  endpoint: string
  accessKey: string
  secretKey: string
}

/** The S3 server of this test run; undefined on a machine that has none. */
export async function radosgwOfRun(): Promise<Radosgw | undefined> {
  const { address } = await addressOfRun('radosgw')
  if (address === undefined) return undefined
  const [endpoint = '', accessKey = '', secretKey = ''] = address.split(' ')
  return {
    endpoint,
    accessKey,
    secretKey,
    url: (bucket) => `s3://${accessKey}:${secretKey}@${new URL(endpoint).host}/${bucket}?scheme=http`,
  }
}
