import { type BrokenRule, broken } from '../../lib/faults.ts'

export const mostBodyBytes = 65_536
export const mostSortOrder = 1_000_000

export const longestPageTitle = 100
export const urlKeyForm = '^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$'

export const urlKeyFault = (urlKey: string): BrokenRule | undefined =>
  new RegExp(urlKeyForm).test(urlKey) ? undefined : broken('urlKey')

export function pageTitleFault(title: string): BrokenRule | undefined {
  const length = [...title].length
  if (title.trim() === '' || length > longestPageTitle)
    return broken('length', { least: 1, most: longestPageTitle, length })
  return /\p{Cc}/u.test(title) ? broken('controlCharacters') : undefined
}

export function pageBodyFault(body: string): BrokenRule | undefined {
  // PostgreSQL refuses a NUL in a text.
  if (body.includes('\0')) return broken('nul')
  const bytes = Buffer.byteLength(body)
  return bytes > mostBodyBytes ? broken('bytes', { most: mostBodyBytes, bytes }) : undefined
}
