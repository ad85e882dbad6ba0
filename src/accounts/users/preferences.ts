import { inTransaction } from '../../db/index.ts'
import type { ChangingSite } from '../../site/index.ts'
import { checkStillKnown, type UserCaller } from '../actor.ts'
import { invalidPreference, unauthenticated, unknownAlbum } from '../errors.ts'
import { isAlbumOf } from '../keys/user-keys-table.ts'
import { lockUsers } from './users.ts'
import { findPreferences, updatePreferences } from './users-table.ts'

/** What a user has chosen for the pages of the site. Stored as JSON; what is missing or not valid is the default. */
export interface Preferences {
  hasLetterKeys: boolean
  copyFormat: CopyFormat
  copySize: CopySize
  /** What the format `own` copies, with names in braces; empty if there is none. */
  copyTemplate: string
  /** Of new uploads on the pages: an album of the user, or empty. */
  albumId: string
  /** Of new uploads: an ISO 8601 duration, or empty for never. */
  expiration: string
  isNsfw: boolean
}

export const copyFormats = ['link', 'page', 'markdown', 'html', 'bbcode', 'own'] as const
type CopyFormat = (typeof copyFormats)[number]
export const copySizes = ['full', 'medium', 'thumb'] as const
type CopySize = (typeof copySizes)[number]
export const mostTemplateLength = 500
/** The ends that pages offer for an upload. */
export const expirations = ['', 'PT1H', 'P1D', 'P1W', 'P1M', 'P1Y'] as const

export const defaultPreferences: Preferences = {
  hasLetterKeys: true,
  copyFormat: 'link',
  copySize: 'full',
  copyTemplate: '',
  albumId: '',
  expiration: '',
  isNsfw: false,
}

type Rules = { readonly [Name in keyof Preferences]: (value: unknown) => boolean }

const isBoolean = (value: unknown) => typeof value === 'boolean'
const isOneOf = (words: readonly string[]) => (value: unknown) => words.includes(String(value))

const rules: Rules = {
  hasLetterKeys: isBoolean,
  copyFormat: isOneOf(copyFormats),
  copySize: isOneOf(copySizes),
  // One line, since several files are copied as one line each.
  copyTemplate: (value) =>
    typeof value === 'string' && value.length <= mostTemplateLength && !/\p{Cc}/u.test(value),
  albumId: (value) => typeof value === 'string' && /^[A-Za-z0-9]{0,64}$/.test(value),
  expiration: isOneOf(expirations),
  isNsfw: isBoolean,
}

const isPreference = <Name extends keyof Preferences>(name: Name, value: unknown): boolean =>
  rules[name](value)

export function readPreferences(text: string): Preferences {
  const stored = parsed(text)
  const names = Object.keys(rules) as (keyof Preferences)[]
  const valid = names.filter((name) => isPreference(name, stored[name]))
  return { ...defaultPreferences, ...Object.fromEntries(valid.map((name) => [name, stored[name]])) }
}

function parsed(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>
  } catch {
    return {}
  }
}

/** Changes the given preferences of the caller. The account's version stays: programs do not see them. */
export function editPreferences(
  site: ChangingSite,
  caller: UserCaller,
  edit: Partial<Preferences>,
): Promise<Preferences> {
  const invalid = (Object.keys(edit) as (keyof Preferences)[]).find((name) => !isPreference(name, edit[name]))
  if (invalid !== undefined) throw invalidPreference(invalid, String(edit[invalid]))
  return inTransaction(site.db, async (db) => {
    await lockUsers(db)
    await checkStillKnown(db, caller, site.clock.now())
    const stored = await findPreferences(db, caller.userId)
    if (stored === undefined) throw unauthenticated()
    const { albumId = '' } = edit
    if (albumId !== '' && !(await isAlbumOf(db, caller.userId, albumId))) throw unknownAlbum()
    const preferences = { ...readPreferences(stored), ...edit }
    await updatePreferences(db, caller.userId, JSON.stringify(preferences))
    return preferences
  })
}
