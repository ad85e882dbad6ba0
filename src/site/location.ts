import { isSamePostgres, parsePostgresUrl } from '../db/index.ts'
import { type BrokenRule, broken } from '../lib/faults.ts'
import { parseStorageUrl } from '../storage/index.ts'
import type { KeyRotation } from './signing-keys.ts'

/** Where a site's rows and bytes are. Stored by `tenants/locations/`, under names of its own. */
export interface SiteLocation {
  /** A PostgreSQL URL or `sqlite:`; undefined for the installation's own database. */
  database: string | undefined
  /** A bucket's URL or `disk:`; undefined for the installation's own storage. */
  storage: string | undefined
  /** Increases with every move; servers with an older one are fenced off. */
  generation: number
  /** The generations of the moves that created this copy of the rows, and of the bytes. */
  rowsGeneration: number
  bytesGeneration: number
  /** In Base64: signs the addresses of the site, if it is not the key that the installation derives. */
  signingKey?: string | undefined
  /** Undefined for a key that was never rotated, such as that of a site that was imported. */
  keyRotation?: KeyRotation | undefined
}

export const ownLocation: SiteLocation = Object.freeze({
  database: undefined,
  storage: undefined,
  generation: 0,
  rowsGeneration: 0,
  bytesGeneration: 0,
})

/** Names of the data folder, used in place of a URL. */
export const folderDatabase = 'sqlite:'
export const folderStorage = 'disk:'

/** The site values that say where a new site is installed. */
export const locationValues = ['SERVICE_DATABASE_URL', 'SERVICE_STORAGE_URL'] as const

export function locationFault(name: string, value: string): BrokenRule | undefined {
  if (name === 'SERVICE_DATABASE_URL') return databaseFault(value)
  return name === 'SERVICE_STORAGE_URL' ? storageFault(value) : undefined
}

/** The fault does not repeat the value, which may hold a password. */
function databaseFault(value: string): BrokenRule | undefined {
  if (value === folderDatabase) return undefined
  try {
    parsePostgresUrl(value)
    return undefined
  } catch (error) {
    return broken('databaseUrl', {
      detail: `${(error as Error).message}, or be ${folderDatabase} for the data folder`,
    })
  }
}

function storageFault(value: string): BrokenRule | undefined {
  if (value === folderStorage) return undefined
  try {
    parseStorageUrl(value)
    return undefined
  } catch (error) {
    return broken('storageUrl', {
      detail: `${(error as Error).message}, or be ${folderStorage} for the data folder`,
    })
  }
}

/** Whether two URLs name the same database, or the same folder of a bucket, whatever the credentials. */
export function isSameLocation(one: string | undefined, two: string | undefined): boolean {
  if (one === undefined || two === undefined || one === two) return one === two
  if (isPostgres(one) && isPostgres(two)) return isSamePostgres(one, two)
  return nameOf(one) === nameOf(two)
}

const isPostgres = (url: string) => /^postgres(ql)?:/.test(url)

function nameOf(url: string): string {
  if (url.startsWith('s3:')) {
    const { endpoint, bucket, folder } = parseStorageUrl(url)
    return JSON.stringify([endpoint, bucket, folder])
  }
  return url
}

/** A site's folder in a storage. Each move gives the bytes a new one. */
export const bytesFolder = (site: number, bytesGeneration: number): string =>
  bytesGeneration === 0 ? `sites/${site}` : `bytes/${site}-${bytesGeneration}`
