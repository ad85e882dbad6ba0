import type { Generated, Kysely } from 'kysely'
import type { AccountTables } from './account-tables.ts'
import type { ControlTables } from './control-tables.ts'
import type { HistoryTables } from './history-tables.ts'
import type { StaffTables } from './staff-tables.ts'
import type { UploadTables } from './upload-tables.ts'

/** One site's tables. On PostgreSQL each has a leading `site` column, which only `db/` sees. */
export interface SiteTables extends AccountTables, HistoryTables, StaffTables, UploadTables {
  album: {
    id: string
    userId: string
    parentId: string | null
    title: string
    description: string | null
    privacy: 'public' | 'link' | 'password' | 'private'
    passwordHash: string | null
    views: number
    likes: number
    createdAt: string
    updatedAt: string
    /** Increases with every edit; views and likes are no edits. */
    version: number
    /** A file in the album or below it, else the newest one is shown; no foreign key, because files refer to albums. */
    coverFileId: string | null
    /** How pages and programs order its files, such as `position` or `-created`. */
    sort: string
    /** Those of title and description, for the search; empty if they are missing. */
    words: Generated<string>
    /** By which albums are sorted by title; empty if it is missing. */
    titleSort: Generated<string>
  }
  category: { id: number; name: string; urlKey: string; description: string | null }
  storage: {
    id: string
    name: string
    url: string
    isActive: number
    capacityBytes: number | null
    createdAt: string
  }
  file: {
    id: string
    userId: string | null
    albumId: string | null
    categoryId: number | null
    storageId: string | null
    kind: string
    type: 'image' | 'video'
    folder: string
    name: string
    nameKey: string
    extension: string
    originalName: string
    sizeBytes: number
    storedBytes: number
    width: number
    height: number
    durationSeconds: number
    variants: string
    md5: string
    /** Of the uploaded bytes; stripping metadata makes the stored bytes differ. */
    sourceMd5: string
    title: string | null
    description: string | null
    /** Who sent it by a request for files, as they say. */
    contributor: string | null
    exif: string | null
    isNsfw: number
    isAnimated: number
    isApproved: number
    is360: number
    views: number
    likes: number
    deleteHash: string
    uploaderAddress: string
    date: string
    createdAt: string
    expiresAt: string | null
    /** Shown to its owner and to administrators only. */
    isPrivate: number
    /** Increases with every edit; views and likes are no edits. */
    version: number
    /** Increases when the bytes are replaced. */
    revision: number
    updatedAt: string
    /** When the file was put into the trash. */
    deletedAt: string | null
    /** Who put it there, and what the staff said; null in rows from before. */
    removedBy: 'owner' | 'staff' | null
    removalReason: string | null
    /** The order within an album, compared by bytes; see `media/position.ts`. */
    position: string
    /** A thumbhash in Base64. */
    placeholder: string | null
    /** The title and the file name in the form of `media/search/words.ts`, for sorting. */
    titleSort: string
    nameSort: string
    /** The version of the rules that `titleSort`, `nameSort` and the words for the search were made by; 0 if they are missing. */
    textVersion: number
    /** Part of the signature of its addresses: raising it ends those that were given out. */
    addressVersion: number
    /** The revision in the storage key of the bytes, and the highest that was ever reserved: a key is never used for other bytes. */
    keyRevision: number
    lastKeyRevision: number
    /** When the bytes were last replaced; null if they never were. */
    replacedAt: string | null
  }
  /** Bytes of a file that were replaced. They can be reverted to until they are removed. */
  fileRevision: {
    fileId: string
    revision: number
    keyRevision: number
    /** Of the file: with them the row names its bytes by itself. */
    folder: string
    extension: string
    kind: string
    sizeBytes: number
    storedBytes: number
    width: number
    height: number
    durationSeconds: number
    variants: string
    md5: string
    sourceMd5: string
    exif: string | null
    isAnimated: number
    is360: number
    placeholder: string | null
    /** When these bytes were uploaded, and when they were replaced. */
    createdAt: string
    replacedAt: string
  }
  /** `form` is the name in the form of `media/search/words.ts`; empty if it is missing. */
  tag: { name: string; createdAt: string; form: Generated<string> }
  fileTag: { fileId: string; tagName: string }
  /**
   * The words of each field of a file for the search, as `media/search/words/file-words.ts` writes them. The stores index them on
   * their own. `number` orders files by their age.
   */
  fileText: {
    number: number
    fileId: string
    title: string
    tags: string
    name: string
    description: string
  }
  fileLike: { fileId: string; userId: string; createdAt: string }
  albumLike: { albumId: string; userId: string; createdAt: string }
  /** A link that opens an album, a file or several, whatever their privacy. A revoked one stays, to be answered as such. */
  share: {
    id: string
    tokenHash: string
    /** The token, encrypted, to show its address again. */
    sealedToken: string
    userId: string
    albumId: string | null
    fileId: string | null
    name: string
    passwordHash: string | null
    allowDownload: number
    allowUpload: number
    maxViews: number | null
    views: number
    maxUploads: number | null
    uploads: number
    createdAt: string
    expiresAt: string | null
    revokedAt: string | null
    /** What a request for files says to those who are asked. */
    message: string
    /** Visitors are asked for their names. */
    asksName: number
  }
  /** The files of a share that has neither an album nor a file. */
  shareFile: { shareId: string; fileId: string; position: number }
  setting: { name: string; value: string }
  removal: { id: string; storageId: string | null; path: string; requestedAt: string }
  /** Paths that caches must forget, and their files, as JSON, until they are in the control database. */
  purge: {
    id: string
    at: string
    hostname: string
    scope: 'files' | 'protected'
    paths: string
    fileIds: string
  }
  /** One for each upload that counts towards an address's rate limit. */
  rateLimitHit: { id: string; address: string; at: string }
  total: { name: string; value: number }
  jobRun: { name: string; ranAt: string; cursor: string | null }
  /** Files whose stored bytes are missing or differ from their row, as the job `scrub-files` found them. */
  damage: { fileId: string; fault: string; foundAt: string }
  /** The highest lease token that has written here; a worker with a lower one is refused. */
  jobFence: { id: number; token: number }
  /** Names of removed files, reserved until no HTTP cache may still hold their bytes. */
  freedName: { folder: string; nameKey: string; until: string }
  /** Wrong passwords of albums and shares, counted by client address and by what they were for. */
  passwordTry: { id: string; address: string; target: string; at: string }
  /** Requests with an Idempotency-Key: the answer of each, or the lease of the server that works on it. */
  idempotencyKey: {
    caller: string
    key: string
    requestHash: string
    /** Identifies the run that may write the answer. */
    token: string
    state: 'running' | 'done'
    leasedUntil: string
    /** Sealed: it may hold a secret that is shown once. */
    answer: string | null
    createdAt: string
    expiresAt: string
  }
}

export type SiteTableName = keyof SiteTables

interface TableRules<Row> {
  /** The primary key without `site`: copies read the table in this order, page by page. */
  key: readonly (keyof Row & string)[]
  /** The column that refers to another row of this table: copies insert the row it refers to first. */
  parent?: keyof Row & string
  /** False for records of work in progress and of bytes that a backup does not contain. */
  isInBackup: boolean
}

/**
 * Every table of a site; the compiler names one that is missing. Moves copy all of them. A table comes after the tables
 * that it refers to: copies insert rows in this order, and drops delete them in reverse.
 */
export const siteTables = {
  user: { key: ['id'], isInBackup: true },
  session: { key: ['tokenHash'], isInBackup: true },
  mailLink: { key: ['tokenHash'], isInBackup: false },
  totp: { key: ['userId'], isInBackup: true },
  recoveryCode: { key: ['userId', 'codeHash'], isInBackup: true },
  profile: { key: ['userId'], isInBackup: true },
  passkey: { key: ['id'], isInBackup: true },
  usedToken: { key: ['tokenHash'], isInBackup: false },
  album: { key: ['id'], parent: 'parentId', isInBackup: true },
  userKey: { key: ['id'], isInBackup: true },
  category: { key: ['id'], isInBackup: true },
  storage: { key: ['id'], isInBackup: true },
  file: { key: ['id'], isInBackup: true },
  fileRevision: { key: ['fileId', 'revision'], isInBackup: true },
  brandPicture: { key: ['slot'], isInBackup: true },
  tag: { key: ['name'], isInBackup: true },
  fileTag: { key: ['fileId', 'tagName'], isInBackup: true },
  fileText: { key: ['number'], isInBackup: true },
  fileLike: { key: ['fileId', 'userId'], isInBackup: true },
  albumLike: { key: ['albumId', 'userId'], isInBackup: true },
  share: { key: ['id'], isInBackup: true },
  shareFile: { key: ['shareId', 'fileId'], isInBackup: true },
  fileReport: { key: ['id'], isInBackup: true },
  page: { key: ['id'], isInBackup: true },
  preset: { key: ['name'], isInBackup: true },
  loginProvider: { key: ['name'], isInBackup: true },
  identity: { key: ['id'], isInBackup: true },
  setting: { key: ['name'], isInBackup: true },
  removal: { key: ['id'], isInBackup: false },
  purge: { key: ['id'], isInBackup: false },
  rateLimitHit: { key: ['id'], isInBackup: true },
  total: { key: ['name'], isInBackup: true },
  jobRun: { key: ['name'], isInBackup: false },
  damage: { key: ['fileId'], isInBackup: false },
  jobFence: { key: ['id'], isInBackup: false },
  freedName: { key: ['folder', 'nameKey'], isInBackup: true },
  passwordTry: { key: ['id'], isInBackup: true },
  loginTry: { key: ['id'], isInBackup: true },
  idempotencyKey: { key: ['caller', 'key'], isInBackup: false },
  resumableUpload: { key: ['id'], isInBackup: false },
  uploadPiece: { key: ['uploadId', 'offsetBytes'], isInBackup: false },
  dayTotal: { key: ['day', 'name'], isInBackup: true },
  userDayTotal: { key: ['userId', 'day', 'name'], isInBackup: true },
  userTotal: { key: ['userId'], isInBackup: true },
  // Counted anew from the rows of a backup.
  labelTotal: { key: ['kind', 'label', 'userId'], isInBackup: false },
  // The server can make their bytes again, so moves copy the rows alone.
  derived: { key: ['id'], isInBackup: false },
  quotaState: { key: ['name', 'month'], isInBackup: true },
  // A backup has the keys of the location record.
  signingKey: { key: ['number'], isInBackup: false },
  // A drop deletes the head first: without it the trigger lets the rows go.
  audit: { key: ['sequence'], isInBackup: true },
  auditHead: { key: ['id'], isInBackup: true },
} as const satisfies { readonly [Name in SiteTableName]: TableRules<SiteTables[Name]> }

export const siteTableNames = Object.keys(siteTables) as readonly SiteTableName[]

export type ControlDb = Kysely<ControlTables>
export type SiteDb = Kysely<SiteTables>
