import type { IncomingMessage } from 'node:http'
import { wrongContentType } from '../errors.ts'
import { mediaTypeOf } from '../media-type.ts'
import { eachChunk } from './body-chunks.ts'
import type { Field, FieldWriter, FormParser, OpenField } from './field.ts'
import { fileTooBig } from './form-errors.ts'
import { jsonFormParser } from './json-form.ts'
import { multipartParser } from './multipart.ts'
import { urlencodedParser } from './urlencoded.ts'

export type BodyPlace = 'form' | 'json'

interface BodyKind {
  place: BodyPlace
  parser: (openField: OpenField, contentType: string) => FormParser
  /** How many bytes a byte of the file may take: all its base64 can be slashes, escaped, in short lines. */
  growth: number
}

/** Every content type that an upload may have. */
const bodyKinds = new Map<string, BodyKind>([
  ['multipart/form-data', { place: 'form', parser: multipartParser, growth: 1.5 }],
  ['application/json', { place: 'json', parser: jsonFormParser, growth: 3 }],
  ['application/x-www-form-urlencoded', { place: 'form', parser: urlencodedParser, growth: 4.5 }],
])

/** For all in a body that is not the file. */
const FORM_BYTES = 1_000_000

export interface BodyOptions {
  /** Of the file, not of the body that brings it. */
  maxBytes: number
  openField: (field: Field, place: BodyPlace) => FieldWriter
  /** Brings to disk what the fields have got, where there is enough; no more is read before what it answers with. */
  flush: () => Promise<void> | undefined
}

/** Reads the body of an upload, if it has one, field by field. */
export async function readFormBody(request: IncomingMessage, options: BodyOptions): Promise<void> {
  const { headers } = request
  const announcedBytes = Number(headers['content-length'] ?? 0)
  if (announcedBytes === 0 && headers['transfer-encoding'] === undefined) return
  const open = () => openReading(request, options)
  let reading = announcedBytes > 0 ? open() : undefined
  if (reading) checkSize(announcedBytes, reading.kind, options)

  let sizeBytes = 0
  await eachChunk(request, (chunk) => {
    // A body in chunks may turn out to be empty, and then its type does not matter.
    reading ??= open()
    sizeBytes += chunk.length
    checkSize(sizeBytes, reading.kind, options)
    reading.parser.push(chunk)
    return options.flush()
  })
  reading?.parser.end()
}

function openReading({ headers }: IncomingMessage, { openField }: BodyOptions) {
  const contentType = headers['content-type'] ?? ''
  const kind = bodyKinds.get(mediaTypeOf(contentType))
  if (!kind) throw wrongContentType(`The body must be one of ${[...bodyKinds.keys()].join(', ')}.`)
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    throw wrongContentType('The body must not be compressed.')
  return { kind, parser: kind.parser((field) => openField(field, kind.place), contentType) }
}

function checkSize(sizeBytes: number, { growth }: BodyKind, { maxBytes }: BodyOptions): void {
  if (sizeBytes > maxBytes * growth + FORM_BYTES) throw fileTooBig(maxBytes)
}
