import type { ControlDb } from '../../db/index.ts'

export interface Invite {
  operatorId: string
  sealedTotp: string
}

interface NewInvite extends Invite {
  tokenHash: string
  createdAt: Date
  expiresAt: Date
}

/** Takes the place of the operator's earlier links. */
export async function replaceInvite(
  db: ControlDb,
  { createdAt, expiresAt, ...invite }: NewInvite,
): Promise<void> {
  await deleteInvites(db, invite.operatorId)
  await db
    .insertInto('operatorInvite')
    .values({ ...invite, createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() })
    .execute()
}

/** Undefined if the link is unknown, was used, or has ended. */
export async function findInvite(db: ControlDb, tokenHash: string, now: Date): Promise<Invite | undefined> {
  return db
    .selectFrom('operatorInvite')
    .select(['operatorId', 'sealedTotp'])
    .where('tokenHash', '=', tokenHash)
    .where('expiresAt', '>', now.toISOString())
    .executeTakeFirst()
}

export async function deleteInvites(db: ControlDb, operatorId: string): Promise<void> {
  await db.deleteFrom('operatorInvite').where('operatorId', '=', operatorId).execute()
}
