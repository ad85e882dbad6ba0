import { faultOf } from '../../lib/faults.ts'
import { invalidFields } from '../../lib/refusal.ts'

/** What `Upload-Metadata` says of a file. */
export interface UploadMetadata {
  name: string | undefined
  /** Those of an upload in one request or by a share, and `replace`. None is empty. */
  parameters: ReadonlyMap<string, string>
}

const knownParameters: ReadonlySet<string> = new Set([
  'title',
  'description',
  'tags',
  'album_id',
  'category_id',
  'width',
  'expiration',
  'nsfw',
  'use_file_date',
  'contributor',
  'replace',
])

/** Sent by usual clients without being asked. The type of a file is determined by its bytes. */
const ignoredNames: ReadonlySet<string> = new Set([
  'filetype',
  'type',
  'contentType',
  'mimetype',
  'relativePath',
  'name',
])

/** The name of the file that the client has given. */
export const nameOf = ({ metadata }: { metadata: string }): string => readMetadata(metadata).name ?? 'upload'

/** Pairs of a name and a Base64 text, separated by commas. A name that is unknown or given twice is refused. */
export function readMetadata(text: string): UploadMetadata {
  const values = new Map<string, string>()
  for (const pair of text.trim() === '' ? [] : text.split(',')) {
    const [name = '', base64 = '', ...rest] = pair.trim().split(' ')
    if (name === '' || rest.length > 0) throw fault('must be pairs of a name and a Base64 text, with commas')
    if (values.has(name)) throw fault(`${shown(name)} is given twice`)
    values.set(name, decoded(name, base64))
  }
  const parameters = new Map<string, string>()
  for (const [name, value] of values) {
    if (name === 'filename' || ignoredNames.has(name)) continue
    if (!knownParameters.has(name)) throw fault(`${shown(name)} is not a known parameter`)
    if (value !== '') parameters.set(name, value)
  }
  return { name: values.get('filename') || values.get('name') || undefined, parameters }
}

function decoded(name: string, base64: string): string {
  const bytes = Buffer.from(base64, 'base64')
  const isBase64 = unpadded(bytes.toString('base64')) === unpadded(base64)
  const text = isBase64 ? textOf(bytes) : undefined
  if (text === undefined) throw fault(`${shown(name)} must be UTF-8 in Base64`)
  return text
}

const unpadded = (base64: string) => base64.replace(/={1,2}$/, '')

function textOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const shown = (name: string) => `"${name.slice(0, 64)}"`

const fault = (detail: string) =>
  invalidFields([{ ...faultOf('Upload-Metadata', 'malformed', { detail }), in: 'header' }])
