import { type Control, isMarkSealedBy, type KeyFile, leaveMark } from '../control/index.ts'
import type { ControlDb } from '../db/index.ts'
import type { KeyRing } from '../lib/key-ring.ts'
import { Refusal } from '../lib/refusal.ts'
import { cannotReseal } from './errors.ts'
import { plansNotSealedBy, updatePlan } from './plans-table.ts'
import type { Owner } from './sealed-values.ts'
import { tenantsNotSealedBy, updateTenant } from './tenants-table.ts'

const batchSize = 50

/**
 * Puts a new key in front, seals everything with it and forgets the old ones. Whoever repeats a rotation that was
 * stopped goes on with it. Answers how many values were sealed anew.
 */
export async function rotateKeys(
  control: Control,
  keyFile: KeyFile,
  onProgress: (done: number) => void = () => undefined,
): Promise<number> {
  await beginRotation(control, keyFile)
  let done = 0
  do {
    await leaveMark(control)
    const before = done
    done += await resealEnv(control, (more) => onProgress(before + more))
  } while (!(await retireOldKeys(control, () => keyFile.retire())))
  return done
}

/** Under the control lock, because of two that add a key at once the file would lose one. */
async function beginRotation(control: Control, keyFile: KeyFile): Promise<void> {
  await control.store.changeControl(async () => {
    keyFile.refresh()
    if (keyFile.keys().length === 1) await keyFile.add()
  })
}

/**
 * Seals every stored `env` with the current key. Each batch is one transaction under the control lock,
 * so a kill loses nothing and the next call goes on. Answers how many were sealed anew.
 */
export async function resealEnv(control: Control, onProgress: (done: number) => void = () => undefined) {
  const unreadable: Owner[] = []
  let done = 0
  for (const kind of ['tenant', 'plan'] as const) {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const from: string = after
      const batch = await control.store.changeControl((db) => resealBatch(control, db, { kind, after: from }))
      unreadable.push(...batch.unreadable)
      after = batch.last
      if (batch.sealed === 0) continue
      done += batch.sealed
      onProgress(done)
    }
  }
  // One that nobody can read must not keep the others from being sealed, but it must be known.
  if (unreadable.length > 0) throw cannotReseal(unreadable)
  return done
}

interface Page {
  kind: 'tenant' | 'plan'
  after: string
}

async function resealBatch({ keyRing }: Control, db: ControlDb, { kind, after }: Page) {
  const [find, update] =
    kind === 'tenant' ? [tenantsNotSealedBy, updateTenant] : ([plansNotSealedBy, updatePlan] as const)
  const rows = await find(db, keyRing.currentKeyId(), { after, limit: batchSize })
  const unreadable: Owner[] = []
  for (const { id, env } of rows) {
    const owner: Owner = `${kind} ${id}`
    const text = textIfReadable(keyRing, owner, env)
    if (text === undefined) unreadable.push(owner)
    else await update(db, id, { env: keyRing.seal(text, owner) })
  }
  return { sealed: rows.length - unreadable.length, unreadable, last: rows.at(-1)?.id }
}

function textIfReadable(keyRing: KeyRing, owner: Owner, env: string): string | undefined {
  try {
    return keyRing.unseal(env, owner)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** Runs `retire` while nobody can seal with an old key, and only when nothing needs one. */
export async function retireOldKeys(control: Control, retire: () => Promise<void>): Promise<boolean> {
  return control.store.changeControl(async (db) => {
    const keyId = control.keyRing.currentKeyId()
    const any = { after: '', limit: 1 }
    const left = [...(await tenantsNotSealedBy(db, keyId, any)), ...(await plansNotSealedBy(db, keyId, any))]
    if (left.length > 0 || !(await isMarkSealedBy(db, keyId))) return false
    await retire()
    return true
  })
}
