import { badRequest } from '../../../http/responses/errors.ts'
import type { FilePosition, FileSort } from '../../../media/index.ts'

const numberSorts: ReadonlySet<string> = new Set(['size', 'views', 'likes', 'relevance'])

/** A place in a list as a part of an address. It opens nothing: the caller's rights decide what comes after it. */
export const writePosition = ({ value, id }: FilePosition): string => `${value}~${id}`

export function readPosition(
  text: string | null,
  sort: FileSort,
  parameter = 'after',
): FilePosition | undefined {
  if (text === null || text === '') return undefined
  const [, value = '', id = ''] = /^(.*)~([A-Za-z0-9]{1,64})$/su.exec(text) ?? []
  const isNumber = numberSorts.has(sort.by)
  if (id === '' || value.includes('\0') || (isNumber && !/^\d{1,15}$/.test(value)))
    throw badRequest(`${parameter}: is not a place in this list. Begin at its first page.`)
  if (sort.by === 'relevance' && !/^\d{1,15}$/.test(id))
    throw badRequest(`${parameter}: is not a place in this list. Begin at its first page.`)
  return { value: isNumber ? Number(value) : value, id }
}
