import type { ControlDb } from '../../db/index.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { Control } from '../control.ts'
import { cannotResealOperators } from './errors.ts'
import { invitesNotSealedBy, updateInviteTotp } from './invites-table.ts'
import { operatorsNotSealedBy, updateOperator } from './operators-table.ts'
import { totpOwner } from './second-step.ts'

/**
 * Encrypts the second steps of operators again with the current key: the rotation deletes the others, and without their secret
 * no code would be right. Operators are few, so that one transaction does.
 */
export async function resealOperators({ store, keyRing }: Control): Promise<void> {
  const unreadable = await store.changeControl(async (db) => {
    const lost: string[] = []
    const reseal = async (id: string, sealed: string, update: (sealed: string) => Promise<void>) => {
      const secret = textIfReadable(() => keyRing.unseal(sealed, totpOwner(id)))
      if (secret === undefined) lost.push(id)
      else await update(keyRing.seal(secret, totpOwner(id)))
    }
    const keyId = keyRing.currentKeyId()
    for (const { id, sealedTotp } of await operatorsNotSealedBy(db, keyId))
      await reseal(id, sealedTotp, (sealed) => updateOperator(db, id, { sealedTotp: sealed }))
    for (const { operatorId, tokenHash, sealedTotp } of await invitesNotSealedBy(db, keyId))
      await reseal(operatorId, sealedTotp, (sealed) => updateInviteTotp(db, tokenHash, sealed))
    return lost
  })
  // The others are encrypted by then: what cannot be read must not keep them from it.
  if (unreadable.length > 0) throw cannotResealOperators(unreadable)
}

/** Whether no second step of an operator needs another key. */
export const areOperatorsSealedBy = async (db: ControlDb, keyId: string): Promise<boolean> =>
  (await operatorsNotSealedBy(db, keyId)).length === 0 && (await invitesNotSealedBy(db, keyId)).length === 0

/** The user names of operators whose second step no key of the installation opens. */
export async function unreadableOperators({ store, keyRing }: Control): Promise<string[]> {
  const rows = await operatorsNotSealedBy(store.control, '')
  return rows
    .filter(
      ({ id, sealedTotp }) => textIfReadable(() => keyRing.unseal(sealedTotp, totpOwner(id))) === undefined,
    )
    .map(({ username }) => username)
}

function textIfReadable(unseal: () => string): string | undefined {
  try {
    return unseal()
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}
