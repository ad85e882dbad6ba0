import { badRequest } from '../../../http/responses/errors.ts'
import { type FilePosition, type FileSort, type ListedFile, listShownFiles } from '../../../media/index.ts'
import { addressWith } from '../../../ui/list-address.ts'
import type { PageCall } from '../../page-call.ts'
import type { FileList } from './file-list.ts'

export const filesOfPage = 60

export interface FilePageOf {
  list: FileList
  files: readonly ListedFile[]
  /** The address of the first page; undefined on it. */
  first: string | undefined
  /** The address of the next page; undefined on the last one. */
  next: string | undefined
}

/** The page of a list that the address asks for. */
export async function readFilePage(call: PageCall, list: FileList): Promise<FilePageOf> {
  const { query, site } = call
  const after = readPosition(query.get('after'), list.sort)
  const { selection, sort, caller } = list
  const page = { selection, sort, after, limit: filesOfPage + 1, hasExif: false }
  const found = await listShownFiles(site, caller, page)
  const files = found.slice(0, filesOfPage)
  const last = found.length > filesOfPage ? files.at(-1) : undefined
  return {
    list,
    files,
    first: after ? addressWith(call, { after: undefined }) : undefined,
    next: last && addressWith(call, { after: writePosition(last.position) }),
  }
}

const numberSorts: ReadonlySet<string> = new Set(['size', 'views', 'likes', 'relevance', 'given'])

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
