import type { Generated, Kysely } from 'kysely'

/** The installation's own tables. Booleans are 0 or 1 and times ISO text, the same on both stores. */
export interface ControlTables {
  meta: { name: string; value: string }
  plan: {
    id: string
    idKey: string
    limits: string
    env: string | null
    createdAt: string
    updatedAt: string
  }
  site: {
    number: Generated<number>
    idKey: string
    state: 'live' | 'kept' | 'dropping'
    installedAt: string | null
    stats: string
    /** Sealed: where its rows and bytes are, when not where the installation's are. */
    place: string | null
  }
  tenant: {
    id: string
    idKey: string
    hostname: string
    isEnabled: number
    planId: string | null
    limits: string
    env: string | null
    site: number
    createdAt: string
    updatedAt: string
    lastJobAt: string | null
  }
  controlKey: {
    id: Generated<number>
    name: string | null
    secretHash: string
    createdAt: string
    expiresAt: string | null
  }
  nonce: { nonce: string; expiresAt: string }
  /** When a site has work to do, and who does it. Number 0 is the installation itself. */
  job: {
    site: number
    dueAt: string | null
    /** Rises with every lease, so that whoever holds an old one is known. */
    token: number
    leasedUntil: string | null
    failures: number
    fault: string | null
  }
}

/** One site's tables. On PostgreSQL each has a leading `site` column that rooms never see. */
export interface SiteTables {
  user: {
    id: string
    username: string
    usernameKey: string
    email: string
    emailKey: string
    passwordHash: string
    role: 'admin' | 'manager' | 'user'
    isBanned: number
    createdAt: string
    updatedAt: string
  }
  userKey: {
    id: string
    userId: string
    name: string
    secretHash: string
    createdAt: string
    expiresAt: string | null
  }
  session: {
    tokenHash: string
    userId: string
    createdAt: string
    expiresAt: string
  }
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
    /** Of the bytes that came, which are not always those that are stored. */
    sourceMd5: string
    title: string | null
    description: string | null
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
  }
  tag: { name: string; createdAt: string }
  fileTag: { fileId: string; tagName: string }
  fileLike: { fileId: string; userId: string; createdAt: string }
  albumLike: { albumId: string; userId: string; createdAt: string }
  page: {
    id: string
    urlKey: string
    title: string
    body: string
    isVisible: number
    sortOrder: number
    createdAt: string
    updatedAt: string
  }
  loginProvider: { name: string; isEnabled: number; clientId: string; clientSecret: string }
  setting: { name: string; value: string }
  removal: { id: string; storageId: string | null; path: string; requestedAt: string }
  uploadMark: { id: string; address: string; at: string }
  total: { name: string; value: number }
  jobRun: { name: string; ranAt: string; cursor: string | null }
  /** The youngest lease that worked here: an older one may change nothing any more. */
  jobFence: { id: number; token: number }
  /** Names of removed files, until no cache may hold their bytes any more. */
  freedName: { folder: string; nameKey: string; until: string }
  /** Passwords of albums that somebody gave and that were wrong. */
  passwordTry: { id: string; address: string; at: string }
}

/** Parents before children, so that rows can be written in this order and removed in the other. */
export const siteTableNames = [
  'user',
  'userKey',
  'session',
  'album',
  'category',
  'storage',
  'file',
  'tag',
  'fileTag',
  'fileLike',
  'albumLike',
  'page',
  'loginProvider',
  'setting',
  'removal',
  'uploadMark',
  'total',
  'jobRun',
  'jobFence',
  'freedName',
  'passwordTry',
] as const satisfies readonly (keyof SiteTables)[]

export type ControlDb = Kysely<ControlTables>
export type SiteDb = Kysely<SiteTables>
