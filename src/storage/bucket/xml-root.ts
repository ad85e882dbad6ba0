import { Readable } from 'node:stream'
import { BucketFault } from './bucket.ts'

/** The root of the XML that S3 answers to a call, by the name of the client's command. */
const roots: Readonly<Record<string, string>> = {
  ListObjectsV2Command: 'ListBucketResult',
  ListMultipartUploadsCommand: 'ListMultipartUploadsResult',
  ListPartsCommand: 'ListPartsResult',
  DeleteObjectsCommand: 'DeleteResult',
  CreateMultipartUploadCommand: 'InitiateMultipartUploadResult',
  CompleteMultipartUploadCommand: 'CompleteMultipartUploadResult',
}

/**
 * Refuses a page of a balancer or of a log-in portal with status 200: the client would read it as an empty listing, or as
 * objects that were removed. The body is read, and put back.
 */
export async function checkRoot(
  commandName: string,
  response: { statusCode: number; body: unknown },
): Promise<void> {
  const root = roots[commandName]
  if (root === undefined || response.statusCode >= 300) return
  const text = await textOf(response.body)
  // A completion that fails after its headers were sent has an error document with status 200.
  const found = /^[\s\ufeff]*(?:<\?xml[^>]*\?>\s*)?<([A-Za-z]+)[\s/>]/.exec(text)?.[1]
  if (found !== root && found !== 'Error') throw new BucketFault(root, 'NotS3', 502)
  response.body = Readable.from([Buffer.from(text)])
}

const mostXmlBytes = 16_000_000

async function textOf(body: unknown): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > mostXmlBytes) throw new BucketFault('answer', 'TooLong', 502)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
