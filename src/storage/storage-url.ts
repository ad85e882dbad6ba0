import { checkFolder } from './keys.ts'

/** A bucket and how to reach it. */
export interface BucketAddress {
  endpoint: string
  bucket: string
  region: string
  accessKey: string
  secretKey: string
  /** The installation's folder in the bucket, or ''. */
  folder: string
  /** Whether the bucket is named in the path; otherwise in the hostname, which a few providers require. */
  isPathStyle: boolean
}

/** Reads `s3://KEY:SECRET@host:port/bucket?region=…&scheme=http&path=…`. Error messages never contain the secret. */
export function parseStorageUrl(value: string): BucketAddress {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url?.protocol !== 's3:') throw new Error('must be s3://KEY:SECRET@host:port/bucket')
  if (url.username === '' || url.password === '') {
    throw new Error('must have KEY:SECRET@ before the host; a / in them is written %2F')
  }
  if (url.hash !== '') throw new Error('must not have a # part; a # in the secret is written %23')

  const options = readOptions(url.searchParams)
  return {
    endpoint: `${options.scheme}://${readHost(url)}`,
    bucket: readBucket(url.pathname),
    region: options.region,
    accessKey: decode(url.username),
    secretKey: decode(url.password),
    folder: options.path,
    isPathStyle: options.style === 'path',
  }
}

const optionRules = {
  region: { fallback: 'us-east-1', isSound: (value: string) => /^[a-z0-9-]{1,64}$/.test(value) },
  scheme: { fallback: 'https', isSound: (value: string) => value === 'http' || value === 'https' },
  path: { fallback: '', isSound: isFolder },
  style: { fallback: 'path', isSound: (value: string) => value === 'path' || value === 'virtual' },
}

type Options = Record<keyof typeof optionRules, string>

function readOptions(parameters: URLSearchParams): Options {
  for (const name of parameters.keys()) {
    if (!Object.hasOwn(optionRules, name)) {
      throw new Error(`must have no other options than ${Object.keys(optionRules).join(', ')}`)
    }
  }
  const entries = Object.entries(optionRules).map(([name, { fallback, isSound }]) => {
    const values = parameters.getAll(name)
    if (values.length > 1) throw new Error(`must have ${name}= once`)
    const value = values[0] ?? fallback
    if (!isSound(value)) throw new Error(`has a ${name}= that cannot be used`)
    return [name, value]
  })
  return Object.fromEntries(entries) as Options
}

function isFolder(value: string): boolean {
  try {
    checkFolder(value)
    return true
  } catch {
    return false
  }
}

function readHost({ hostname, host, port }: URL): string {
  const isSound = /^([a-z0-9_-]+(\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])$/i.test(hostname) && port !== '0'
  if (!isSound) throw new Error('must name the host, like s3.example.com or 10.0.0.5:9000')
  return host
}

function readBucket(pathname: string): string {
  const [, bucket] = /^\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/?$/.exec(pathname) ?? []
  if (bucket === undefined || bucket.includes('..')) {
    throw new Error('must end in the name of a bucket: 3 to 63 of a-z 0-9 . -')
  }
  return bucket
}

function decode(text: string): string {
  let decoded: string
  try {
    decoded = decodeURIComponent(text)
  } catch {
    throw new Error('must have its key and secret percent-encoded')
  }
  // Both are used in headers and signatures.
  if (!/^[\x21-\x7e]+$/.test(decoded)) throw new Error('must have a key and secret of plain characters')
  return decoded
}
