import type { Site } from '../../../site/index.ts'
import type { FilePosition } from './file-selection.ts'
import type { ShownFile } from './shown-columns-table.ts'

export interface ListedFile extends ShownFile {
  position: FilePosition
}

/** The site as lists need it: PostgreSQL's index of the search needs its number. */
export type ListedSite = Pick<Site, 'db' | 'number' | 'clock'>
