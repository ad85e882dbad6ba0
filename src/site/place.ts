import { parseStorageUrl } from '../storage/index.ts'

/** Where a site's rows and bytes are. */
export interface SitePlace {
  /** A PostgreSQL server or `sqlite:`; nothing where the installation's own rows are. */
  database: string | undefined
  /** A bucket or `disk:`; nothing where the installation keeps its bytes. */
  storage: string | undefined
  /** Rises with every move. Who knows an older one can change nothing any more. */
  generation: number
  /** The generation that brought the rows, and the one that brought the bytes, to where they are. */
  rowsAt: number
  bytesAt: number
}

export const ownPlace: SitePlace = Object.freeze({
  ...{ database: undefined, storage: undefined },
  ...{ generation: 0, rowsAt: 0, bytesAt: 0 },
})

/** The data folder, in words that stand where a URL may. */
export const folderDatabase = 'sqlite:'
export const folderStorage = 'disk:'

/** The values of a plan or tenant that say where a new site goes. */
export const placeValues = ['SERVICE_DATABASE_URL', 'SERVICE_STORAGE_URL'] as const

export function placeFault(name: string, value: string): string | undefined {
  if (name === 'SERVICE_DATABASE_URL') return databaseFault(value)
  return name === 'SERVICE_STORAGE_URL' ? storageFault(value) : undefined
}

/** What stands there may hold a password, so that it is not told back. */
function databaseFault(value: string): string | undefined {
  const protocol = URL.canParse(value) ? new URL(value).protocol : ''
  const isSound = value === folderDatabase || /^postgres(ql)?:$/.test(protocol)
  return isSound ? undefined : `must be a postgres:// URL, or ${folderDatabase} for the data folder`
}

function storageFault(value: string): string | undefined {
  if (value === folderStorage) return undefined
  try {
    parseStorageUrl(value)
    return undefined
  } catch (error) {
    return `${(error as Error).message}, or be ${folderStorage} for the data folder`
  }
}

/** Whether two URLs name one place, whoever comes there: the same database, or the same folder of a bucket. */
export function isSamePlace(one: string | undefined, two: string | undefined): boolean {
  return one === two || (one !== undefined && two !== undefined && nameOf(one) === nameOf(two))
}

function nameOf(url: string): string {
  if (url.startsWith('s3:')) {
    const { endpoint, bucket, folder } = parseStorageUrl(url)
    return JSON.stringify([endpoint, bucket, folder])
  }
  if (!/^postgres(ql)?:/.test(url)) return url
  const { hostname, port, pathname } = new URL(url)
  return JSON.stringify([hostname, port || '5432', pathname])
}

/** The folder of a storage that a site has to itself. Bytes that a move has brought have one of their own. */
export const bytesFolder = (site: number, bytesAt: number): string =>
  bytesAt === 0 ? `sites/${site}` : `bytes/${site}-${bytesAt}`
