import { join } from 'node:path'
import type { Actor } from '../../accounts/index.ts'
import type { SiteDb } from '../../db/index.ts'
import { faultOf } from '../../lib/faults.ts'
import { isId } from '../../lib/ids.ts'
import { parseWholeNumber } from '../../lib/sizes.ts'
import { limitOf, type Settings, type Site } from '../../site/index.ts'
import { findAlbum } from '../albums/albums-table.ts'
import { badParameter, mayNotUpload, notYourAlbum, unknownCategory } from '../errors.ts'
import { hasCategory } from '../files/labels/categories-table.ts'
import { mostTagsGiven, tagFault, tagNameOf } from '../files/labels/tag-names.ts'
import type { StoredFile } from '../files/stored-file.ts'
import type { ReleaseSlot } from './rate-limit.ts'

/** Where uploads are received: on the file system of the data folder, so that they can be renamed into place. */
export const spoolFolder = (dataDir: string): string => join(dataDir, 'spool')

/** An upload on local disk, counted and hashed while it was received. */
export interface SpooledFile {
  /** In a folder of its own, which is removed after the upload. */
  path: string
  sizeBytes: number
  /** Hexadecimal digits. */
  md5: string
  /** The file name that the client sent. */
  name: string | undefined
}

export interface Upload {
  spooled: SpooledFile
  request: UploadRequest
  /** The IP address of the client. */
  address: string
  /** Aborted when the client disconnects: then nothing is decoded or stored. */
  signal?: AbortSignal | undefined
  /** Keeps the answer for an Idempotency-Key; part of the transaction that stores the file. */
  keep?: ((db: SiteDb, uploaded: Uploaded) => Promise<void>) | undefined
  /** Releases the rate-limit slot of an upload that has taken it before. */
  releaseSlot?: ReleaseSlot | undefined
  /** The resumable upload that it comes from, which has reserved storage. */
  uploadId?: string | undefined
}

/** An upload with its caller and the settings that apply to it. */
export interface UploadAttempt {
  actor: Actor
  upload: Upload
  settings: Settings
}

export interface Uploaded {
  file: StoredFile
  tags: readonly string[]
  /** Deletes the file; only its hash is stored. Absent for a duplicate that belongs to another uploader. */
  deleteToken: string | undefined
  /** The bytes were stored by an earlier upload. */
  isExisting: boolean
  /** The album was deleted while the file was sent, so the file is in none. */
  isAlbumDeleted?: boolean
}

/** The parameters of an upload, validated. */
export interface UploadRequest {
  title: string | undefined
  description: string | undefined
  tags: readonly string[]
  albumId: string | undefined
  /** Whether the file is kept without an album if that is deleted before the file is stored. */
  outlivesAlbum: boolean
  categoryId: number | undefined
  width: number | undefined
  lifetime: Lifetime | undefined
  isNsfw: boolean
  usesFileDate: boolean
  /** Of a file that is collected: who sends it. */
  contributor?: string | undefined
}

/** A file without any parameters. */
export const emptyUploadRequest: UploadRequest = {
  title: undefined,
  description: undefined,
  tags: [],
  albumId: undefined,
  categoryId: undefined,
  width: undefined,
  lifetime: undefined,
  isNsfw: false,
  usesFileDate: false,
  outlivesAlbum: false,
}

type Parameters = ReadonlyMap<string, string>

export interface SentParameters {
  parameters: Parameters
  isThirdPartyFormat: boolean
  /** An album that was the caller's when the upload began. If it is deleted since, the file is kept without an album. */
  seenAlbumId?: string | undefined
}

/** Parses the parameters of an upload. The first invalid one is refused by name. */
export async function readUploadRequest(
  site: Site,
  actor: Actor,
  { parameters, isThirdPartyFormat, seenAlbumId }: SentParameters,
): Promise<UploadRequest> {
  const usesFileDate = readSwitch(parameters, 'use_file_date')
  if (usesFileDate && !isAdmin(actor)) throw mayNotUpload('use_file_date: is for administrators')
  const title = parameters.get('title') ?? (isThirdPartyFormat ? parameters.get('name') : undefined)
  return {
    title: cut(title, 100),
    description: cut(parameters.get('description'), 5_000),
    tags: limitedTags(site, parseTags(parameters.get('tags') ?? '')),
    isNsfw: readSwitch(parameters, 'nsfw'),
    usesFileDate,
    width: readWidth(parameters),
    lifetime: readExpiration(parameters, isThirdPartyFormat),
    categoryId: await readCategory(site, parameters),
    albumId: await readAlbum(site, actor, parameters, seenAlbumId),
    outlivesAlbum: seenAlbumId !== undefined,
  }
}

const isAdmin = (actor: Actor) => actor.kind === 'user' && actor.role === 'admin'

function readSwitch(parameters: Parameters, name: string): boolean {
  const value = parameters.get(name) ?? '0'
  if (value !== '0' && value !== '1') throw badParameter(faultOf(name, 'zeroOrOne', {}))
  return value === '1'
}

export const widestUpload = 65_535

function readWidth(parameters: Parameters): number | undefined {
  const text = parameters.get('width')
  if (text === undefined) return undefined
  const width = parseWholeNumber(text)
  if (!width || width > widestUpload)
    throw badParameter(faultOf('width', 'numberRange', { least: 1, most: widestUpload }))
  return width
}

const shortestThirdPartySeconds = 60
const longestThirdPartySeconds = 15_552_000

/** The third-party format also takes seconds, and 0 for no expiration. */
function readExpiration(parameters: Parameters, isThirdPartyFormat: boolean): Lifetime | undefined {
  const text = parameters.get('expiration')
  if (text === undefined || (isThirdPartyFormat && text === '0')) return undefined
  const seconds = isThirdPartyFormat ? parseWholeNumber(text) : undefined
  if (seconds !== undefined) {
    if (seconds < shortestThirdPartySeconds || seconds > longestThirdPartySeconds) {
      const bounds = { least: shortestThirdPartySeconds, most: longestThirdPartySeconds }
      throw badParameter(faultOf('expiration', 'seconds', bounds))
    }
    return { seconds }
  }
  if (!isExpiration(text)) throw badParameter(faultOf('expiration', 'duration'))
  return text
}

async function readCategory(site: Site, parameters: Parameters): Promise<number | undefined> {
  const text = parameters.get('category_id')
  if (text === undefined) return undefined
  const id = parseWholeNumber(text)
  if (id === undefined || id > 2_147_483_647 || !(await hasCategory(site.db, id))) {
    throw unknownCategory()
  }
  return id
}

/** An unknown album and another user's album get the same refusal, and so does another one than a key is bound to. */
async function readAlbum(
  site: Site,
  actor: Actor,
  parameters: Parameters,
  seenAlbumId: string | undefined,
): Promise<string | undefined> {
  const bound = actor.kind === 'user' ? actor.albumId : undefined
  const id = parameters.get('album_id') ?? bound
  if (id === undefined || id === seenAlbumId) return id
  if (!(await isUploadAlbum(site, actor, id))) throw notYourAlbum()
  return id
}

/** Whether the actor may upload into an album now. */
export async function isUploadAlbum(site: Site, actor: Actor, id: string): Promise<boolean> {
  if (actor.kind !== 'user' || (actor.albumId !== undefined && actor.albumId !== id)) return false
  // PostgreSQL refuses some characters, such as NUL, in a text.
  const album = isId(id) ? await findAlbum(site.db, id) : undefined
  return album?.userId === actor.userId
}

/** A comma-separated list of tags, without invalid and repeated ones. */
function parseTags(text: string): string[] {
  const names = text
    .split(',')
    .map(tagNameOf)
    .filter((name) => name !== '')
  if (names.length > mostTagsGiven)
    throw badParameter(faultOf('tags', 'mostEntries', { most: mostTagsGiven, count: names.length }))
  return [...new Set(names.filter((name) => tagFault(name) === undefined))]
}

function limitedTags(site: Site, tags: readonly string[]): readonly string[] {
  return tags.slice(0, limitOf(site.values, 'SERVICE_MAX_TAGS_PER_FILE') ?? tags.length)
}

/** Control characters are removed: they are invisible, and PostgreSQL refuses NUL. */
function cut(text: string | undefined, maxLength: number): string | undefined {
  const visible = text?.replaceAll(/(?![\t\n\r])\p{Cc}/gu, '')
  return visible ? [...visible].slice(0, maxLength).join('') : undefined
}

/** The lifetimes that an upload may ask for. */
export const expirations = [
  'PT5M',
  'PT15M',
  'PT30M',
  'PT1H',
  'PT3H',
  'PT6H',
  'PT12H',
  'P1D',
  'P2D',
  'P3D',
  'P4D',
  'P5D',
  'P6D',
  'P1W',
  'P2W',
  'P3W',
  'P1M',
  'P2M',
  'P3M',
  'P4M',
  'P5M',
  'P6M',
  'P1Y',
] as const

const known: ReadonlySet<string> = new Set(expirations)

export const isExpiration = (text: string): boolean => known.has(text)

/** One of the above, or a number of seconds. */
type Lifetime = string | { seconds: number }

/**
 * Calendar arithmetic in UTC: a month after 31 January ends on the last day of February. Whole seconds, because a file
 * expires in the very second that the upload's answer names.
 */
export function expiresAfter(from: Date, lifetime: Lifetime): Date {
  const start = Temporal.Instant.fromEpochMilliseconds(from.getTime())
    .round({ smallestUnit: 'second', roundingMode: 'floor' })
    .toZonedDateTimeISO('UTC')
  return new Date(start.add(lifetime).epochMilliseconds)
}
