import type { SiteDb } from '../../../db/index.ts'

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
