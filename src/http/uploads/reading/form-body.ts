import type { IncomingMessage } from 'node:http'
import { isAwaitingContinue } from '../../connection/request-body.ts'
import { mediaTypeOf } from '../../requests/headers.ts'
import { wrongContentType } from '../../responses/errors.ts'
import { eachChunk } from './body-chunks.ts'
import type { Field, FieldWriter, FormParser, OpenField } from './field.ts'
import { fileTooBig } from './form-errors.ts'
import { jsonFormParser } from './json-form.ts'
import { multipartParser } from './multipart.ts'
import { urlencodedParser } from './urlencoded.ts'

export type BodyOrigin = 'form' | 'json'

interface BodyKind {
  origin: BodyOrigin
  parser: (openField: OpenField, contentType: string) => FormParser
  /** Most body bytes for each byte of the file: base64 in short lines, every character escaped. */
  growth: number
}

/** Every content type of an upload. */
const bodyKinds = new Map<string, BodyKind>([
  ['multipart/form-data', { origin: 'form', parser: multipartParser, growth: 1.5 }],
  ['application/json', { origin: 'json', parser: jsonFormParser, growth: 3 }],
  ['application/x-www-form-urlencoded', { origin: 'form', parser: urlencodedParser, growth: 4.5 }],
])

/** For everything in a body that is not the file. */
export const FORM_BYTES = 1_000_000

export interface BodyOptions {
  /** Of the file, not of the body that contains it. */
  maxBytes: number
  /** `remainingBytes`: of the announced length; negative or 0 if no length was announced. */
  openField: (field: Field, origin: BodyOrigin, remainingBytes: number) => FieldWriter
  /** Writes buffered bytes to disk. If it returns a promise, no more is read before it resolves. */
  flush: () => Promise<void> | undefined
}

/** Reads the body of an upload, if it has one, field by field. */
export async function readFormBody(request: IncomingMessage, options: BodyOptions): Promise<void> {
  const { headers } = request
  const announcedBytes = Number(headers['content-length'] ?? 0)
  if (announcedBytes === 0 && headers['transfer-encoding'] === undefined) return
  let sizeBytes = 0
  const open = () =>
    openReading(request, (field, origin) => options.openField(field, origin, announcedBytes - sizeBytes))
  let reading = announcedBytes > 0 ? open() : undefined
  if (reading && isTooLarge(announcedBytes, reading.kind, options)) {
    await readAhead(request, reading.parser)
    throw fileTooBig(options.maxBytes)
  }

  await eachChunk(request, (chunk) => {
    // A chunked body may be empty, and then its type does not matter.
    reading ??= open()
    sizeBytes += chunk.length
    if (isTooLarge(sizeBytes, reading.kind, options)) throw fileTooBig(options.maxBytes)
    reading.parser.push(chunk)
    return options.flush()
  })
  reading?.parser.end()
}

const AHEAD_BYTES = 16_384
const AHEAD_MS = 500

/**
 * Reads the first bytes of a body that is refused for its length: fields before the file may hold the format of the
 * refusal. They arrive with the headers, unless the sender waits for `100 Continue`.
 */
async function readAhead(request: IncomingMessage, parser: FormParser): Promise<void> {
  if (isAwaitingContinue(request)) return
  const enough = new AbortController()
  const timer = setTimeout(() => enough.abort(), AHEAD_MS)
  let remainingBytes = AHEAD_BYTES
  const take = (chunk: Buffer) => {
    parser.push(chunk.subarray(0, remainingBytes))
    remainingBytes -= chunk.length
    if (remainingBytes <= 0) enough.abort()
    return undefined
  }
  // Other faults do not matter: the body is refused for its length.
  await eachChunk(request, take, enough.signal).catch(() => undefined)
  clearTimeout(timer)
}

function openReading(
  { headers }: IncomingMessage,
  openField: (field: Field, origin: BodyOrigin) => FieldWriter,
) {
  const contentType = headers['content-type'] ?? ''
  const kind = bodyKinds.get(mediaTypeOf(contentType))
  if (!kind) throw wrongContentType(`The body must be one of ${[...bodyKinds.keys()].join(', ')}.`)
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    throw wrongContentType('The body must not be compressed.')
  return { kind, parser: kind.parser((field) => openField(field, kind.origin), contentType) }
}

function isTooLarge(sizeBytes: number, { growth }: BodyKind, { maxBytes }: BodyOptions): boolean {
  return sizeBytes > maxBytes * growth + FORM_BYTES
}
