import type { SiteDb } from '../db/index.ts'

/** Files and their bytes, with variants. */
export interface Stored {
  files: number
  bytes: number
}

/** Those of each kind of file, in the trash or not, the largest first. */
export async function storedByKind(db: SiteDb): Promise<(Stored & { kind: string })[]> {
  const rows = await db
    .selectFrom('file')
    .select((eb) => [
      'kind',
      eb.fn.countAll<number>().as('files'),
      eb.fn.sum<number | null>('storedBytes').as('bytes'),
    ])
    .groupBy('kind')
    .execute()
  return rows
    .map(({ kind, files, bytes }) => ({ kind, files: Number(files), bytes: Number(bytes ?? 0) }))
    .sort((one, two) => two.bytes - one.bytes || (one.kind < two.kind ? -1 : 1))
}

/** Those of guests, in the trash or not. */
export async function storedByGuests(db: SiteDb): Promise<Stored> {
  const row = await db
    .selectFrom('file')
    .select((eb) => [
      eb.fn.countAll<number>().as('files'),
      eb.fn.sum<number | null>('storedBytes').as('bytes'),
    ])
    .where('userId', 'is', null)
    .executeTakeFirstOrThrow()
  return { files: Number(row.files), bytes: Number(row.bytes ?? 0) }
}

/** Bytes of files that were replaced since. */
export async function storedRevisions(db: SiteDb): Promise<Stored> {
  const row = await db
    .selectFrom('fileRevision')
    .select((eb) => [
      eb.fn.countAll<number>().as('files'),
      eb.fn.sum<number | null>('storedBytes').as('bytes'),
    ])
    .executeTakeFirstOrThrow()
  return { files: Number(row.files), bytes: Number(row.bytes ?? 0) }
}

export async function countTrash(db: SiteDb): Promise<{ files: number; bytes: number }> {
  const row = await db
    .selectFrom('file')
    .select((eb) => [
      eb.fn.countAll<number>().as('files'),
      eb.fn.sum<number | null>('storedBytes').as('bytes'),
    ])
    .where('deletedAt', 'is not', null)
    .executeTakeFirstOrThrow()
  return { files: Number(row.files), bytes: Number(row.bytes ?? 0) }
}
