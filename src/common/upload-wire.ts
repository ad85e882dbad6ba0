/** What the scripts of the pages get from the server. `web/` imports these types and nothing else of `src/`. */

import type { UploadWords } from './island-words.ts'

export type { IslandPlural, IslandText, UploadWords } from './island-words.ts'

/** On the upload page it stands in a data block; other pages ask for it at `/-/upload`. */
export interface UploadData {
  /** The id of the user, `guest`, or the share: the queue of one is not shown to another. */
  owner: string
  /** Of the session; null for guests. */
  csrf: string | null
  /** The largest file, in bytes. */
  mostBytes: number
  /** Whether files may be named by their address. */
  hasUrls: boolean
  /** Where a whole file is sent to. */
  sendsAt: string
  /** For the link of an upload-only share or a collection: the files are another person's, and have no links here. */
  isCollecting: boolean
  /** Where files of more than 16 MB are sent in parts; null where they are sent in one. */
  resumesAt: string | null
  /** The options of files that are dropped on pages without the form. */
  defaults: Readonly<Record<string, string>>
  language: string
  /** Addresses of assets. */
  icons: string
  styles: string
  words: UploadWords
}

/** A stored file, as far as its row in the queue shows it; the answer of `/-/files` has more. */
export interface UploadedFile {
  id: string
  type: 'image' | 'video'
  mime: string
  title: string | null
  filename: string
  width: number
  height: number
  url: string
  url_viewer: string
  url_short: string
  versions: Readonly<Record<'thumb' | 'medium' | 'frame', UploadedVersion | null>>
  srcset: string | null
  delete_url: string | null
  /** Of a collected file, which has nothing else of the above but the id: proves that this page has sent it. */
  removal?: string
}

export interface UploadedVersion {
  url: string
  width: number
  height: number
}

/** Every refusal in JSON. */
export interface RefusalBody {
  status_code: number
  error: { message: string; code: number }
}
