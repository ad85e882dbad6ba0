import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import * as s3 from '@aws-sdk/client-s3'
import { type Bucket, BucketFault, type Piece, type PutEcho } from './bucket/bucket.ts'
import { destroyWhenIdle } from './bucket/idle-timeout.ts'
import { checkRoot } from './bucket/xml-root.ts'
import type { ByteRange } from './storage.ts'
import type { BucketAddress } from './storage-url.ts'

const silent = () => {}
const smallSkewMs = 60_000

/** The only file that knows the client library. */
export function openBucket(address: BucketAddress): Bucket {
  const client = connect(address, { socketTimeoutMs: 60_000 })
  // A separate connection pool for reads, so that slow readers do not use up the connections of everything else. Reads have
  // no socket time-out: `endWhenSilent` tells a silent server from a slow reader.
  const reader = connect(address, { socketTimeoutMs: 0 })
  const Bucket = address.bucket
  const options = (abortSignal: AbortSignal) => ({ abortSignal })
  // The library measures the offset of the bucket's clock, to a second or so, and signs with it.
  const inLocalTime = (time: Date) => {
    const { systemClockOffset } = client.config
    return Math.abs(systemClockOffset) < smallSkewMs ? time : new Date(time.getTime() - systemClockOffset)
  }

  return {
    async put(Key, piece, Metadata, { signal, overwrites = false }) {
      const answer = await sending(piece, signal, (body, options) => {
        const condition = overwrites ? {} : { IfNoneMatch: '*' }
        const ContentType = 'application/octet-stream'
        const command = new s3.PutObjectCommand({ Bucket, Key, Metadata, ...body, ...condition, ContentType })
        return client.send(command, options)
      }).catch(faultOf('put'))
      return echoOf('put', answer)
    },

    async head(Key, signal) {
      const command = new s3.HeadObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' })
      const answer = await client.send(command, options(signal)).catch(faultOf('head'))
      return {
        sizeBytes: answer.ContentLength ?? 0,
        modifiedAt: inLocalTime(answer.LastModified ?? new Date()),
        metadata: answer.Metadata ?? {},
        etag: withoutQuotes(answer.ETag),
        sha256: answer.ChecksumSHA256,
      }
    },

    async get(Key, range, signal) {
      const Range = range && `bytes=${range.start}-${range.end}`
      const command = new s3.GetObjectCommand({ Bucket, Key, Range })
      const answer = await reader.send(command, options(signal)).catch(faultOf('get'))
      const content = answer.Body
      if (!(content instanceof Readable)) throw new BucketFault('get', 'NoBody')
      const whole = range ? lengthOfRange(answer, range) : answer.ContentLength
      if (whole === undefined) {
        content.destroy()
        throw new BucketFault('get', range ? 'OtherRange' : 'NoLength', 502)
      }
      destroyWhenIdle(content)
      const modifiedAt = inLocalTime(answer.LastModified ?? new Date(0))
      return { sizeBytes: whole, modifiedAt, md5: md5Of(answer), content }
    },

    async remove(keys, signal) {
      const Delete = { Quiet: true, Objects: keys.map((Key) => ({ Key })) }
      const command = new s3.DeleteObjectsCommand({ Bucket, Delete })
      const { Errors = [] } = await client.send(command, options(signal)).catch(faultOf('remove'))
      if (Errors[0]) throw new BucketFault('remove', Errors[0].Code ?? 'Unknown', 500)
    },

    async list(Prefix, from, MaxKeys, signal) {
      const start = 'token' in from ? { ContinuationToken: from.token } : { StartAfter: from.after }
      const command = new s3.ListObjectsV2Command({ Bucket, Prefix, MaxKeys, ...start })
      const answer = await client.send(command, options(signal)).catch(faultOf('list'))
      if (answer.Name !== Bucket) throw new BucketFault('list', 'OtherBucket', 502)
      const entries = (answer.Contents ?? []).map(({ Key = '', Size = 0, LastModified = new Date(0) }) => {
        return { key: Key, sizeBytes: Size, modifiedAt: inLocalTime(LastModified) }
      })
      return { entries, isTruncated: answer.IsTruncated === true, token: answer.NextContinuationToken }
    },

    async beginParts(Key, Metadata, signal) {
      const command = new s3.CreateMultipartUploadCommand({
        Bucket,
        Key,
        Metadata,
        ContentType: 'application/octet-stream',
        ChecksumAlgorithm: 'SHA256',
      })
      const { UploadId } = await client.send(command, options(signal)).catch(faultOf('begin'))
      if (UploadId === undefined) throw new BucketFault('begin', 'NoUploadId')
      return UploadId
    },

    async putPart({ key: Key, id: UploadId }, PartNumber, piece, signal) {
      const answer = await sending(piece, signal, (body, options) => {
        const command = new s3.UploadPartCommand({ Bucket, Key, UploadId, PartNumber, ...body })
        return client.send(command, options)
      }).catch(faultOf('part'))
      return { number: PartNumber, piece, ...echoOf('part', answer) }
    },

    async completeParts({ key: Key, id: UploadId }, parts, signal) {
      const Parts = parts.map(({ number, etag = '', piece }) => {
        return { PartNumber: number, ETag: `"${etag}"`, ChecksumSHA256: piece.sha256.toString('base64') }
      })
      const command = new s3.CompleteMultipartUploadCommand({
        Bucket,
        Key,
        UploadId,
        MultipartUpload: { Parts },
      })
      return echoOf('complete', await client.send(command, options(signal)).catch(faultOf('complete')))
    },

    async abortParts({ key: Key, id: UploadId }, signal) {
      const command = new s3.AbortMultipartUploadCommand({ Bucket, Key, UploadId })
      await client.send(command, options(signal)).catch(faultOf('abort'))
    },

    async unfinished(Prefix, from, signal) {
      const start = { KeyMarker: from?.key, UploadIdMarker: from?.id }
      const command = new s3.ListMultipartUploadsCommand({ Bucket, Prefix, ...start })
      const answer = await client.send(command, options(signal)).catch(faultOf('unfinished'))
      const uploads = (answer.Uploads ?? []).map(({ Key = '', UploadId = '', Initiated = new Date() }) => {
        return { key: Key, id: UploadId, beganAt: inLocalTime(Initiated) }
      })
      const next = { key: answer.NextKeyMarker ?? '', id: answer.NextUploadIdMarker ?? '' }
      return { uploads, next: answer.IsTruncated === true ? next : undefined }
    },

    async lastPartAt({ key: Key, id: UploadId }, signal) {
      let lastMs = Number.NEGATIVE_INFINITY
      for (let PartNumberMarker: string | undefined; ; ) {
        const command = new s3.ListPartsCommand({ Bucket, Key, UploadId, PartNumberMarker })
        const answer = await client.send(command, options(signal)).catch(faultOf('parts'))
        for (const { LastModified = new Date() } of answer.Parts ?? []) {
          lastMs = Math.max(lastMs, inLocalTime(LastModified).getTime())
        }
        const isMore = answer.IsTruncated === true && answer.NextPartNumberMarker !== PartNumberMarker
        if (!isMore) return Number.isFinite(lastMs) ? new Date(lastMs) : undefined
        PartNumberMarker = answer.NextPartNumberMarker
      }
    },

    close() {
      client.destroy()
      reader.destroy()
    },
  }
}

function connect(address: BucketAddress, { socketTimeoutMs }: { socketTimeoutMs: number }): s3.S3Client {
  const client = new s3.S3Client({
    endpoint: address.endpoint,
    region: address.region,
    forcePathStyle: address.isPathStyle,
    credentials: { accessKeyId: address.accessKey, secretAccessKey: address.secretKey },
    // `client.ts` retries: only it can find out whether a call without an answer succeeded.
    maxAttempts: 1,
    retryMode: 'standard',
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: 3_000,
      socketTimeout: socketTimeoutMs,
      httpAgent: { keepAlive: true, maxSockets: 256 },
      httpsAgent: { keepAlive: true, maxSockets: 256 },
    },
    logger: { trace: silent, debug: silent, info: silent, warn: silent, error: silent },
  })
  signPayloads(client)
  checkRoots(client)
  return client
}

interface SentBody {
  Body: Readable
  ContentLength: number
  ChecksumSHA256: string
}

type Send<T> = (body: SentBody, options: { abortSignal: AbortSignal }) => Promise<T>

/** Streams a piece of a file, and closes the file however the request ends. */
async function sending<T>(piece: Piece, signal: AbortSignal, send: Send<T>): Promise<T> {
  const { path, bytes, start, sizeBytes, sha256 } = piece
  const span = { start, end: start + sizeBytes - 1, highWaterMark: 262_144 }
  const Body = bytes || sizeBytes === 0 ? Readable.from(bytes ? [bytes] : []) : createReadStream(path, span)
  const unreadable = new AbortController()
  Body.once('error', () => unreadable.abort())
  const abortSignal = AbortSignal.any([signal, unreadable.signal])
  try {
    const body = { Body, ContentLength: sizeBytes, ChecksumSHA256: sha256.toString('base64') }
    return await send(body, { abortSignal })
  } finally {
    Body.destroy()
  }
}

/** Every S3 server checks the signed hash of the body; only newer ones know checksum headers. */
function signPayloads(client: s3.S3Client): void {
  client.middlewareStack.add(
    (next) => (call) => {
      const { headers } = call.request as { headers: Record<string, string> }
      const checksum = headers['x-amz-checksum-sha256']
      if (checksum) headers['x-amz-content-sha256'] = Buffer.from(checksum, 'base64').toString('hex')
      return next(call)
    },
    { step: 'build', name: 'signPayloads' },
  )
}

/** The ETag of an object that was put at once is its MD5, unless it is encrypted with a key of its own. */
function md5Of({ ETag, ServerSideEncryption = 'AES256', SSECustomerAlgorithm }: s3.GetObjectCommandOutput) {
  const etag = withoutQuotes(ETag)?.toLowerCase() ?? ''
  const isMd5 = ServerSideEncryption === 'AES256' && SSECustomerAlgorithm === undefined
  return isMd5 && /^[0-9a-f]{32}$/.test(etag) ? etag : undefined
}

/** The length of the whole object, if the server sends just the bytes that were asked for. */
function lengthOfRange(
  { ContentRange = '', ContentLength }: Pick<s3.GetObjectCommandOutput, 'ContentRange' | 'ContentLength'>,
  { start, end }: ByteRange,
): number | undefined {
  const [first, last, whole] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(ContentRange)?.slice(1).map(Number) ?? []
  if (first === undefined || last === undefined || whole === undefined) return undefined
  const isAsked = first === start && last === Math.min(end, whole - 1) && ContentLength === last - first + 1
  return isAsked ? whole : undefined
}

interface StoredAnswer {
  ETag?: string | undefined
  ChecksumSHA256?: string | undefined
  $metadata: { httpStatusCode?: number | undefined }
}

/** S3 answers 200 to what it has stored; 202 and 204 come from something in front of it. */
function echoOf(call: string, { ETag, ChecksumSHA256, $metadata }: StoredAnswer): PutEcho {
  if ($metadata.httpStatusCode !== 200) throw new BucketFault(call, 'NotStored', 502)
  return { etag: withoutQuotes(ETag), sha256: ChecksumSHA256 }
}

const withoutQuotes = (etag: string | undefined) => etag?.replace(/^"(.*)"$/, '$1')

/** Checks the XML of answers before the client's own step of this name reads them. */
function checkRoots(client: s3.S3Client): void {
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (call) => {
        const result = await next(call)
        await checkRoot(commandName, result.response as { statusCode: number; body: unknown })
        return result
      },
    { step: 'deserialize', priority: 'low', name: 'checkRoots' },
  )
}

function faultOf(call: string): (error: unknown) => never {
  return (error) => {
    const { name, code, $metadata } = error as {
      name?: unknown
      code?: unknown
      $metadata?: { httpStatusCode?: number }
    }
    const word = typeof code === 'string' ? code : String(name)
    if (error instanceof BucketFault) throw error
    throw new BucketFault(call, word, $metadata?.httpStatusCode)
  }
}
