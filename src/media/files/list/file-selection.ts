import type { SearchQuery } from '../../search/search-query.ts'

/** Which files a list has. A field that is left out selects nothing. */
export interface FileSelection {
  /** `null` selects files without an album. */
  albumId?: string | null
  userId?: string
  type?: 'image' | 'video'
  kind?: string
  /** The file has all of them. */
  tags?: readonly string[]
  categoryId?: number
  isNsfw?: boolean
  isApproved?: boolean
  createdAfter?: Date
  createdBefore?: Date
  dateAfter?: Date
  dateBefore?: Date
  minSizeBytes?: number
  maxSizeBytes?: number
  minWidth?: number
  orientation?: Orientation
  /** Files in the trash, in place of all others. */
  isTrashed?: boolean
  ids?: readonly string[]
  /** Found by this query of the search. */
  query?: SearchQuery
}

export const orientations = ['landscape', 'portrait', 'square'] as const
export type Orientation = (typeof orientations)[number]

/**
 * Names of orders that every list has, by a column; `relevance` is the order of a query of the search, `given` that of the ids of a
 * selection.
 */
export const fileSortNames = [
  'created',
  'date',
  'title',
  'name',
  'size',
  'views',
  'likes',
  'position',
] as const as readonly FileSortName[]

export type FileSortName =
  | ('created' | 'date' | 'title' | 'name' | 'size' | 'views' | 'likes' | 'position')
  // Only of the trash: other files have no time of deletion.
  | 'deleted'

export interface FileSort {
  by: FileSortName | 'relevance' | 'given'
  isDescending: boolean
}

/**
 * The last row of a page: the next one begins after it. The id orders files with equal values. By relevance the value is the class,
 * and the id the number of the file in the index.
 */
export interface FilePosition {
  value: string | number
  id: string
}

/** A page of a list. */
export interface FilePage {
  selection: FileSelection
  sort: FileSort
  after: FilePosition | undefined
  /** The last file that the page may have; it does not end an order by relevance. */
  until?: FilePosition | undefined
  limit: number
  hasExif: boolean
}
