import { invalidField } from '../errors.ts'
import type { Privacy } from './albums-table.ts'

export const privacies: readonly Privacy[] = ['public', 'link', 'password', 'private']

/** Orders of files that an album may have. */
export const albumSorts: readonly string[] = [
  'created',
  'date',
  'title',
  'name',
  'size',
  'views',
  'likes',
  'position',
].flatMap((name) => [name, `-${name}`])

export const usualSort = 'position'

export const deepestLevel = 8

/** `privacies` stand from the most open to the most closed. */
export const isMoreOpen = (privacy: Privacy, than: Privacy): boolean =>
  privacies.indexOf(privacy) < privacies.indexOf(than)

export const longestAlbumText = { title: 100, description: 5_000 }

/** Of the password of an album or a share. */
export const longestPassword = 128

export function checkedTitle(text: string): string {
  const title = text.trim()
  const length = [...title].length
  if (length < 1 || length > longestAlbumText.title)
    throw invalidField('title', `must be 1 to ${longestAlbumText.title} characters long, not ${length}`)
  return title
}

export function checkPassword(privacy: Privacy, password: string | undefined): void {
  if (password === undefined) return
  if (privacy !== 'password') throw passwordUnneeded(privacy)
  const fault = passwordFault(password)
  if (fault !== undefined) throw invalidField('password', fault)
}

/** Why a text cannot be the password of an album or a share; undefined if it can. */
export function passwordFault(password: string): string | undefined {
  const length = [...password].length
  return length >= 1 && length <= longestPassword
    ? undefined
    : `must be 1 to ${longestPassword} characters long, not ${length}`
}

export const passwordMissing = () => invalidField('password', 'must be given for the privacy password')

export const passwordUnneeded = (privacy: Privacy) =>
  invalidField('password', `must be given only for the privacy password, not for ${privacy}`)
