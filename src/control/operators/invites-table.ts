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

/** Links whose second step is encrypted with another key. */
export const invitesNotSealedBy = (
  db: ControlDb,
  keyId: string,
): Promise<(Invite & { tokenHash: string })[]> =>
  db
    .selectFrom('operatorInvite')
    .select(['operatorId', 'tokenHash', 'sealedTotp'])
    .where('sealedTotp', 'not like', `${keyId}.%`)
    .execute()

export async function updateInviteTotp(db: ControlDb, tokenHash: string, sealedTotp: string): Promise<void> {
  await db.updateTable('operatorInvite').set({ sealedTotp }).where('tokenHash', '=', tokenHash).execute()
}
