import { Refusal } from '../../lib/refusal.ts'
import { kindOff } from '../errors.ts'
import { kinds, kindsByName } from '../kinds/index.ts'
import { type Kind, VARIANT_FORMATS } from '../kinds/kind.ts'
import {
  type FilePatch,
  type Job,
  MAX_PATCHES,
  type Outcomes,
  type StoredBytes,
  type TransformJob,
  type Variant,
} from './job.ts'

/** An answer that our own decoder code never gives: a file may have taken the process over. */
export class ForgedAnswer extends Error {}

/**
 * Validates a child's answer to a job. A hostile file may have taken the child over, so every field is checked: types, ranges,
 * and in `claimFiles` that each path is a file in the job's folder.
 */
export function readAnswer<J extends Job>(job: J, message: unknown): Outcomes[J['task']] {
  const answer = objectOf(message)
  switch (answer.type) {
    case 'done':
      return readers[job.task](objectOf(answer.outcome), job) as Outcomes[J['task']]
    case 'refused':
      throw readRefusal(answer)
    case 'fault':
      throw Object.assign(new Error(textOf(answer.message)), { code: readFaultCode(answer.code) })
    default:
      throw forged('type')
  }
}

type Fields = Readonly<Record<string, unknown>>

const readers: Record<Job['task'], (fields: Fields, job: Job) => Outcomes[Job['task']]> = {
  examine: (fields) => (fields.type === 'found-video' ? readFoundVideo(fields) : readPicture(fields)),
  'probe-video': readVideo,
  'take-frame': (fields) => ({ path: textOf(fields.path) }),
  'finish-video': readFinishedVideo,
  transform: readTransformed,
}

const forged = (field: string) => new ForgedAnswer(`the decoder answered with an invalid ${field}`)

const MAX_TEXT_LENGTH = 262_144
/** A thumbhash in Base64: 5 to 25 bytes. */
const PLACEHOLDER = /^[A-Za-z0-9+/]{7,34}={0,2}$/
const REFUSAL_CODES: ReadonlySet<unknown> = new Set([
  'not-media',
  'kind-off',
  'not-decodable',
  'too-many-pixels',
  'too-many-frames',
])

/** A child may only refuse for a reason that lies in the file. */
function readRefusal({ kind, code, message, params, cause }: Fields): Error {
  if (kind !== 'invalid' || !REFUSAL_CODES.has(code)) return forged('refusal')
  // Pages name the kind, so it must be one of ours.
  if (code === 'kind-off') return kindOff(kindOf({ kind: textOf(objectOf(params).kind).toLowerCase() }).name)
  return new Refusal('invalid', String(code), textOf(message).slice(0, 500), { cause: textOf(cause) })
}

const readFaultCode = (code: unknown) => (/^E[A-Z0-9]{1,20}$/.test(String(code)) ? String(code) : 'EIO')

function readFoundVideo(fields: Fields): Outcomes['examine'] {
  kindOf(fields, 'video')
  wholeOf(fields, 'sizeBytes')
  return fields as unknown as Outcomes['examine']
}

function readVideo(fields: Fields): Outcomes['probe-video'] {
  for (const side of ['width', 'height']) wholeOf(fields, side, 1)
  const { durationSeconds, takenAt } = fields
  if (typeof durationSeconds !== 'number' || !(durationSeconds > 0 && durationSeconds < 1e9))
    throw forged('durationSeconds')
  if (takenAt !== undefined) textOf(takenAt, 'takenAt')
  return fields as unknown as Outcomes['probe-video']
}

function readFinishedVideo(fields: Fields): Outcomes['finish-video'] {
  if (fields.type !== 'video') throw forged('type')
  kindOf(fields, 'video')
  readVideo(fields)
  const frame = optional(fields.frame, readVariant)
  const thumb = optional(fields.thumb, readVariant)
  return { ...readFile(fields), frame, thumb } as unknown as Outcomes['finish-video']
}

function readPicture(fields: Fields): Outcomes['examine'] {
  if (fields.type !== 'image') throw forged('type')
  kindOf(fields, 'image')
  for (const side of ['width', 'height', 'frames', 'orientation']) wholeOf(fields, side, 1)
  const thumb = readVariant(fields.thumb)
  return { ...readFile(fields), thumb } as unknown as Outcomes['examine']
}

/** The fields that pictures and videos share. */
function readFile(fields: Fields): Fields {
  for (const name of ['bits', 'channels']) wholeOf(fields, name)
  for (const name of ['isAnimated', 'is360']) if (typeof fields[name] !== 'boolean') throw forged(name)
  for (const name of ['title', 'description', 'takenAt', 'metadata'])
    if (fields[name] !== undefined) textOf(fields[name], name)
  if (fields.placeholder !== undefined) readPlaceholder(fields)
  return { ...fields, file: readStored(fields.file), medium: optional(fields.medium, readVariant) }
}

function readPlaceholder({ placeholder }: Fields): string {
  const text = textOf(placeholder, 'placeholder')
  if (!PLACEHOLDER.test(text)) throw forged('placeholder')
  return text
}

/** MIME type and extensions are looked up here by the kind's name, and not taken from the child. */
function readStored(value: unknown): StoredBytes {
  const fields = objectOf(value)
  const { mime, extensions, name: kind } = kindOf(fields)
  const { isUnchanged, md5 } = fields
  if (typeof isUnchanged !== 'boolean') throw forged('isUnchanged')
  if (md5 !== undefined && !/^[0-9a-f]{32}$/.test(textOf(md5))) throw forged('md5')
  const sizeBytes = wholeOf(fields, 'sizeBytes')
  const patches = optional(fields.patches, (value) => readPatches(value, sizeBytes))
  if (!isUnchanged && md5 === undefined && patches === undefined) throw forged('md5')
  if (patches && (isUnchanged || md5 !== undefined)) throw forged('patches')
  return {
    path: textOf(fields.path),
    isUnchanged,
    kind,
    mime,
    extensions,
    sizeBytes,
    md5: md5 as string | undefined,
    patches,
  }
}

/** Each lies within the file, so that the file keeps its length. */
function readPatches(value: unknown, sizeBytes: number): FilePatch[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_PATCHES) throw forged('patches')
  return value.map((each) => {
    const fields = objectOf(each)
    const patch = { at: wholeOf(fields, 'at'), base64: textOf(fields.base64, 'patches') }
    if (patch.at + Buffer.byteLength(patch.base64, 'base64') > sizeBytes) throw forged('patches')
    return patch
  })
}

function readTransformed(fields: Fields, job: Job): Outcomes['transform'] {
  // The format is the one that was asked for, whatever the child says.
  const { options, hasPlaceholder = false } = job as TransformJob
  const { format } = options
  if (typeof fields.isAnimated !== 'boolean') throw forged('isAnimated')
  return {
    ...readMade(fields),
    mime: kindsByName[format].mime,
    isAnimated: fields.isAnimated,
    placeholder: hasPlaceholder ? readPlaceholder(fields) : undefined,
  }
}

function readVariant(value: unknown): Variant {
  const fields = objectOf(value)
  const extension = VARIANT_FORMATS.find((format) => format === fields.extension)
  if (extension === undefined || fields.mime !== kindsByName[extension].mime) throw forged('extension')
  return { ...readMade(fields), mime: kindsByName[extension].mime, extension }
}

/** A picture that the child wrote. */
function readMade(fields: Fields): Pick<Variant, 'path' | 'width' | 'height' | 'sizeBytes' | 'sha256'> {
  const sha256 = textOf(fields.sha256, 'sha256')
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw forged('sha256')
  return {
    path: textOf(fields.path),
    width: wholeOf(fields, 'width', 1),
    height: wholeOf(fields, 'height', 1),
    sizeBytes: wholeOf(fields, 'sizeBytes', 1),
    sha256,
  }
}

function optional<T>(value: unknown, read: (value: unknown) => T): T | undefined {
  return value === undefined ? undefined : read(value)
}

function kindOf({ kind: name }: Fields, type?: Kind['type']) {
  const kind = kinds.find((candidate) => candidate.name === name)
  if (kind === undefined || (type && kind.type !== type)) throw forged('kind')
  return kind
}

function objectOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw forged('answer')
  return value as Fields
}

function textOf(value: unknown, name = 'text'): string {
  if (typeof value !== 'string' || value.length > MAX_TEXT_LENGTH) throw forged(name)
  return value
}

function wholeOf(fields: Fields, name: string, minimum = 0): number {
  const value = fields[name]
  if (!Number.isSafeInteger(value) || (value as number) < minimum) throw forged(name)
  return value as number
}
