import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { mediaTypeOf } from '../../../http/requests/headers.ts'
import { wrongContentType } from '../../../http/responses/errors.ts'
import { type Fault, faultOf } from '../../../lib/faults.ts'
import { invalidFields, Refusal } from '../../../lib/refusal.ts'
import { parseWholeNumber } from '../../../lib/sizes.ts'
import { type Checksum, checksumAlgorithms } from '../../../media/index.ts'

/** The version of the protocol (https://tus.io/protocols/resumable-upload). */
export const tusVersion = '1.0.0'

export const tusVersionDiffers = () =>
  new Refusal('conflict', 'tus-version', `Tus-Resumable: must be ${tusVersion}.`)

export function checkTusVersion(request: FastifyRequest, reply: FastifyReply): void {
  if (request.headers['tus-resumable'] === tusVersion) return
  reply.header('tus-version', tusVersion)
  throw tusVersionDiffers()
}

/** Refuses a request because of one header. */
export const invalidHeader = (fault: Fault): Refusal => invalidFields([{ ...fault, in: 'header' }])

/** A header that must be a whole number. */
export function readCount({ headers }: FastifyRequest, name: 'Upload-Length' | 'Upload-Offset'): number {
  const text = headers[name.toLowerCase()]
  const count = parseWholeNumber(String(text ?? ''))
  if (count === undefined)
    throw invalidHeader(
      text === undefined ? faultOf(name, 'required') : faultOf(name, 'wholeNumber', { given: String(text) }),
    )
  return count
}

const bodyType = 'application/offset+octet-stream'

export const bytesForms = {
  [bodyType]: Type.String({ format: 'binary', description: 'The bytes that follow' }),
}

export const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Undefined for a body that does not announce its length. */
export const announcedBytesOf = ({ headers }: FastifyRequest): number | undefined =>
  headers['content-length'] === undefined ? undefined : Number(headers['content-length'])

export function checkBodyType({ headers }: FastifyRequest): void {
  if (mediaTypeOf(headers['content-type'] ?? '') !== bodyType)
    throw wrongContentType(`The body must be declared as ${bodyType}.`)
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    throw wrongContentType('The body must not be compressed.')
}

const digestBytes: Readonly<Record<Checksum['algorithm'], number>> = { sha1: 20, sha256: 32, md5: 16 }

/** Base64 in its only canonical form: what the last character leaves over is zero. */
function base64Form(bytes: number): string {
  const whole = `[A-Za-z0-9+/]{${Math.floor(bytes / 3) * 4}}`
  const ends = ['', '[A-Za-z0-9+/][AQgw]==', '[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=']
  return whole + ends[bytes % 3]
}

/** `Upload-Checksum: sha1 Base64`. */
export const checksumForm = `^(?:${checksumAlgorithms.map((name) => `${name} ${base64Form(digestBytes[name])}`).join('|')})$`

const checksumPattern = new RegExp(checksumForm)

export function readChecksum({ headers }: FastifyRequest): Checksum | undefined {
  const text = headers['upload-checksum']
  if (text === undefined) return undefined
  if (!checksumPattern.test(String(text)))
    throw invalidHeader(faultOf('Upload-Checksum', 'checksum', { algorithms: checksumAlgorithms }))
  const [algorithm = '', base64 = ''] = String(text).split(' ')
  return { algorithm: algorithm as Checksum['algorithm'], digest: Buffer.from(base64, 'base64') }
}

/** The form of Upload-Expires (RFC 9110, 5.6.7). */
export const writeExpires = (at: Date): string => at.toUTCString()

export const overrides: ReadonlySet<string> = new Set(['PATCH', 'DELETE', 'HEAD'])

/** The method that a POST stands for, sent by clients that can send no other. */
export function overriddenMethod({ headers }: FastifyRequest): string {
  const name = String(headers['x-http-method-override'] ?? '').toUpperCase()
  if (!overrides.has(name)) throw invalidHeader(faultOf('X-HTTP-Method-Override', 'methodOverride'))
  return name
}
