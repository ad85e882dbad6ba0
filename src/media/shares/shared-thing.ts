import { titleOr } from '../../common/texts.ts'
import type { SiteTables } from '../../db/index.ts'
import { fileNameOf } from '../files/stored-file.ts'

/** The album or the file that a share opens, as its owner knows it. */
export interface SharedThing {
  type: 'album' | SiteTables['file']['type']
  title: string
}

/** Of the album or the file of a share; all null for a share of several files. */
export interface ThingRow {
  albumTitle: string | null
  fileTitle: string | null
  fileName: string | null
  type: SiteTables['file']['type'] | null
  extension: string | null
}

export function thingOf(row: ThingRow): SharedThing | undefined {
  const { albumTitle, fileTitle, fileName: name, type, extension } = row
  if (albumTitle !== null) return { type: 'album', title: albumTitle }
  if (type === null || name === null || extension === null) return undefined
  return { type, title: titleOr(fileNameOf({ name, extension }), fileTitle) }
}
