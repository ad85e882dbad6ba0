import type { UserCaller } from '../accounts/index.ts'
import { allTotals, type LimitName, limitOf, type Site } from '../site/index.ts'
import { countTrash } from './files/removal/trash-count-table.ts'
import { listPeople } from './people.ts'
import type { Person } from './people-table.ts'
import { sumReservedBytes } from './resumable/resumable-uploads-table.ts'
import { type Stored, storedByGuests, storedByKind, storedRevisions } from './storage-use-table.ts'

/** Where the bytes of a site are, and what they are of. */
export interface StorageUse {
  kind: Site['storage']['kind']
  /** Without files in the trash, which take storage alone. */
  files: Use
  bytes: Use
  /** Of one file. */
  mostUploadBytes: number | undefined
  /** Of resumable uploads that are not finished; they count towards the limit of bytes. */
  reservedBytes: number
  /** A part of the kinds. */
  trash: Stored
  /** With the earlier revisions these are all bytes. */
  kinds: readonly (Stored & { kind: string })[]
  earlier: Stored
  /** Users with the most bytes. */
  people: readonly Person[]
  guests: Stored
}

interface Use {
  used: number
  /** Undefined if there is no limit. */
  limit: number | undefined
}

const mostPeople = 10

/** For administrators. */
export async function readStorageUse(site: Site, caller: UserCaller): Promise<StorageUse> {
  const { db, values } = site
  const limit = (name: LimitName) => limitOf(values, name)
  const { files, storageUsed } = await allTotals(db)
  const largest = { prefix: undefined, sort: 'storage', offset: 0, limit: mostPeople } as const
  const people = await listPeople(site, caller, largest)
  return {
    kind: site.storage.kind,
    files: { used: files, limit: limit('SERVICE_MAX_FILES') },
    bytes: { used: storageUsed, limit: limit('SERVICE_MAX_STORAGE') },
    mostUploadBytes: limit('SERVICE_MAX_UPLOAD_SIZE'),
    reservedBytes: await sumReservedBytes(db, site.clock.now()),
    trash: await countTrash(db),
    kinds: await storedByKind(db),
    earlier: await storedRevisions(db),
    people: people.filter(({ storedBytes }) => storedBytes > 0),
    guests: await storedByGuests(db),
  }
}
