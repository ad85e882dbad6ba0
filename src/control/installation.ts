import { hash } from 'node:crypto'
import { Refusal } from '../lib/refusal.ts'
import type { Control } from './control.ts'
import { findMeta, upsertMeta } from './meta-table.ts'

const sealedText = 'terrace'

/**
 * All servers of an installation must hold the same secrets. The first one leaves a mark,
 * and one that made up its own, because nobody gave it any, finds out here and not when a tenant cannot be read.
 */
export async function checkSecrets(control: Control, secret: { text: string; isGenerated: boolean }): Promise<void> {
  const mark = await findMeta(control.store.control, 'seal-check')
  if (mark === undefined) await leaveMark(control)
  else if (!opens(control, mark)) throw otherSecret('SERVICE_ENCRYPTION_KEY')

  const secretHash = hash('sha256', `request secret ${secret.text}`)
  const known = await findMeta(control.store.control, 'secret-check')
  if (known === secretHash) return
  if (known !== undefined && secret.isGenerated) throw otherSecret('SERVICE_TENANTS_API_REQUEST_SECRET')
  await control.store.changeControl((db) => upsertMeta(db, 'secret-check', secretHash))
}

export async function leaveMark(control: Control): Promise<void> {
  await control.store.changeControl((db) =>
    upsertMeta(db, 'seal-check', control.keyRing.seal(sealedText, 'installation')),
  )
}

function opens(control: Control, mark: string): boolean {
  try {
    return control.keyRing.unseal(mark, 'installation') === sealedText
  } catch {
    return false
  }
}

const otherSecret = (setting: string) =>
  new Refusal('invalid', 'other-secret', `${setting}: this installation was set up with another one; give every server the same.`)
