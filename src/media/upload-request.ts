import type { Actor } from '../accounts/index.ts'
import { parseWholeNumber } from '../lib/sizes.ts'
import { limitOf, type Site } from '../site/index.ts'
import { findAlbum } from './albums-table.ts'
import { hasCategory } from './categories-table.ts'
import { badParameter, mayNotUpload, notYourAlbum, unknownCategory } from './errors.ts'
import { isExpiration, type Lifetime } from './expiration.ts'
import { parseTags } from './tag-list.ts'

/** What an upload asks for, found to be possible. */
export interface UploadRequest {
  title: string | undefined
  description: string | undefined
  tags: readonly string[]
  albumId: string | undefined
  categoryId: number | undefined
  width: number | undefined
  lifetime: Lifetime | undefined
  isNsfw: boolean
  usesFileDate: boolean
}

type Parameters = ReadonlyMap<string, string>

/** Reads what came as text. The first thing that cannot be is refused by its name. */
export async function readUploadRequest(
  site: Site,
  actor: Actor,
  { parameters, isDialect }: { parameters: Parameters; isDialect: boolean },
): Promise<UploadRequest> {
  const usesFileDate = readSwitch(parameters, 'use_file_date')
  if (usesFileDate && !isAdmin(actor)) throw mayNotUpload('use_file_date: is for administrators')
  const title = parameters.get('title') ?? (isDialect ? parameters.get('name') : undefined)
  return {
    title: cut(title, 100),
    description: cut(parameters.get('description'), 5_000),
    tags: limitedTags(site, parseTags(parameters.get('tags') ?? '')),
    isNsfw: readSwitch(parameters, 'nsfw'),
    usesFileDate,
    width: readWidth(parameters),
    lifetime: readExpiration(parameters, isDialect),
    categoryId: await readCategory(site, parameters),
    albumId: await readAlbum(site, actor, parameters),
  }
}

const isAdmin = (actor: Actor) => actor.kind === 'user' && actor.role === 'admin'

function readSwitch(parameters: Parameters, name: string): boolean {
  const value = parameters.get(name) ?? '0'
  if (value !== '0' && value !== '1') throw badParameter(name, 'must be 0 or 1')
  return value === '1'
}

function readWidth(parameters: Parameters): number | undefined {
  const text = parameters.get('width')
  if (text === undefined) return undefined
  const width = parseWholeNumber(text)
  if (!width || width > 65_535) throw badParameter('width', 'must be a whole number from 1 to 65535')
  return width
}

const shortestDialectSeconds = 60
const longestDialectSeconds = 15_552_000

/** The dialect also counts in seconds, and 0 is for ever there. */
function readExpiration(parameters: Parameters, isDialect: boolean): Lifetime | undefined {
  const text = parameters.get('expiration')
  if (text === undefined || (isDialect && text === '0')) return undefined
  const seconds = isDialect ? parseWholeNumber(text) : undefined
  if (seconds !== undefined) {
    if (seconds < shortestDialectSeconds || seconds > longestDialectSeconds) {
      throw badParameter(
        'expiration',
        `must be ${shortestDialectSeconds} to ${longestDialectSeconds} seconds`,
      )
    }
    return { seconds }
  }
  if (!isExpiration(text))
    throw badParameter('expiration', 'must be one of the known durations, like PT5M or P1D')
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

/** Unknown and another's are refused alike. */
async function readAlbum(site: Site, actor: Actor, parameters: Parameters): Promise<string | undefined> {
  const id = parameters.get('album_id')
  if (id === undefined) return undefined
  // Not every store can be asked for every character.
  const album = /^[A-Za-z0-9]{1,64}$/.test(id) ? await findAlbum(site.db, id) : undefined
  if (!album || actor.kind !== 'user' || album.userId !== actor.userId) throw notYourAlbum()
  return id
}

function limitedTags(site: Site, tags: readonly string[]): readonly string[] {
  return tags.slice(0, limitOf(site.values, 'SERVICE_MAX_TAGS_PER_FILE') ?? tags.length)
}

/** Without what nobody can see; of these not every store takes every one. */
function cut(text: string | undefined, most: number): string | undefined {
  const seen = text?.replaceAll(/(?![\t\n\r])\p{Cc}/gu, '')
  return seen ? [...seen].slice(0, most).join('') : undefined
}
