import type { SiteDb, SiteTables } from '../../db/index.ts'

type Kind = SiteTables['mailLink']['kind']

export interface MailLink {
  userId: string | undefined
  content: string
}

export async function insertMailLink(
  db: SiteDb,
  link: MailLink & { tokenHash: string; kind: Kind; createdAt: Date; expiresAt: Date },
): Promise<void> {
  const { userId, createdAt, expiresAt, ...rest } = link
  const times = { createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() }
  await db
    .insertInto('mailLink')
    .values({ ...rest, ...times, userId: userId ?? null })
    .execute()
}

export async function findMailLink(
  db: SiteDb,
  { tokenHash, kind, now }: { tokenHash: string; kind: Kind; now: Date },
): Promise<MailLink | undefined> {
  const row = await db
    .selectFrom('mailLink')
    .select(['userId', 'content'])
    .where('tokenHash', '=', tokenHash)
    .where('kind', '=', kind)
    .where('expiresAt', '>', now.toISOString())
    .executeTakeFirst()
  return row && { ...row, userId: row.userId ?? undefined }
}

export async function deleteMailLink(db: SiteDb, tokenHash: string): Promise<void> {
  await db.deleteFrom('mailLink').where('tokenHash', '=', tokenHash).execute()
}

export async function deleteMailLinksOf(db: SiteDb, userId: string): Promise<void> {
  await db.deleteFrom('mailLink').where('userId', '=', userId).execute()
}

export async function deleteMailLinksUntil(db: SiteDb, now: Date): Promise<void> {
  await db.deleteFrom('mailLink').where('expiresAt', '<=', now.toISOString()).execute()
}
