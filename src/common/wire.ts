/** What pages and their islands tell each other. `web/` imports the types of this file alone. */

import type { IslandText, SelectionWords } from './island-words.ts'

export type * from './upload-wire.ts'

/** A file of a grid. */
export interface TileData {
  id: string
  /** Of its page. */
  path: string
  title: string
  /** The path of a small picture; null if there is none, and for a file behind a cover. */
  picture: string | null
  /** Pictures by width, of which the browser loads the one that its screen needs; null if there is one alone. */
  srcset: string | null
  /** Of the file, in pixels. */
  width: number
  height: number
  /** A thumbhash in Base64, drawn until the picture is there. */
  placeholder: string | null
  /** The length of a video. */
  badge: string | null
  isCovered: boolean
  /** Only some people can see it. */
  isClosed: boolean
  /** The name of its owner; null for the files of guests, and where a page names the owner of all its files. */
  owner: string | null
  version: number
}

/** A block of a list: one character for the shape of each file, by `shapes.ts`. */
export interface ShapeBlock {
  /** The moment that the list is pinned to: what arrives later is not in it. */
  moment: string
  shapes: string
  /** The months of a list in the order of time, such as `2026-11`, each with the number of its files; empty in other orders. */
  months: readonly (readonly [month: string, files: number])[]
  /** The position of the last file of every window. */
  windows: readonly string[]
  /** The position to go on after; null at the end of the list. */
  next: string | null
}

export interface TileWindow {
  tiles: readonly TileData[]
}

export interface NewFiles {
  count: number
}

/** What a reader may mean who types into the search. */
export interface Suggestion {
  icon: 'tag' | 'albums' | 'person' | 'category'
  /** What it is, such as a tag, or what tells it from others. */
  kind: string
  text: string
  path: string
}

/** The ids of a list, block by block. */
export interface IdBlock {
  ids: readonly string[]
  /** The position to go on after; null at the end of the list. */
  next: string | null
}

/** The data of a grid in its page. */
export interface GridData {
  /** The list's name. */
  in: string
  /** `sort` and `type` of the page. */
  query: string
  /** The path of the drawings. */
  icons: string
  words: GridWords
  /** Undefined where files cannot be selected. */
  selection?: SelectionData
  lightbox: LightboxData
}

/** What a list needs of which files are opened over it. */
export interface LightboxData extends LightboxWords {
  /** Undefined where addresses of files are not copied. */
  copy?: CopyWords
}

/** What the page of a file over its list says. */
export interface LightboxWords {
  /** The path of the drawings. */
  icons: string
  previous: string
  next: string
  close: string
  offline: string
}

/** What the tiles of a list say. */
export interface TileWords {
  /** Over a file whose picture is not loaded. */
  cover: string
  /** Of the mark of a file that not everyone can see. */
  closed: string
}

/** What copies the address of a file in a list. */
export interface CopyWords {
  /** With `#` in place of the title. */
  label: string
  copyProtected: string
  noConnection: string
}

export interface GridWords extends TileWords {
  /** Of the rail of dates. */
  dates: string
  /** With `#` in place of the number. */
  newOne: string
  newMany: string
}

/** What the selection of a list needs. */
export interface SelectionData {
  /** The list is an album: files that are moved leave it. */
  isAlbum: boolean
  /** Without a trash a deletion is for good, and asks. */
  hasTrash: boolean
  mostShared: number
  mostZipped: number
  /** Why a file was left as it is, by the code of its outcome. */
  reasons: Readonly<Record<string, string>>
  /** Of a check box, with `#` in place of the title. */
  label: string
  words: SelectionWords
}

export type { SelectionWords } from './island-words.ts'

/** The list of what a guest has uploaded. */
export interface MineData {
  language: string
  words: Readonly<Record<'remove' | 'forgotten', IslandText>>
}
