import { type Control, isMarkSealedBy, type KeyFile, leaveMark } from '../control/index.ts'
import type { ControlDb } from '../db/index.ts'
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
  let done = 0
  for (;;) {
    const sealed = await control.store.changeControl((db) => resealBatch(control, db))
    if (sealed === 0) return done
    done += sealed
    onProgress(done)
  }
}

async function resealBatch(control: Control, db: ControlDb): Promise<number> {
  const keyId = control.keyRing.currentKeyId()
  const reseal = (owner: Owner, env: string) =>
    control.keyRing.seal(control.keyRing.unseal(env, owner), owner)
  const tenants = await tenantsNotSealedBy(db, keyId, batchSize)
  for (const { id, env } of tenants) await updateTenant(db, id, { env: reseal(`tenant ${id}`, env) })
  const plans = await plansNotSealedBy(db, keyId, batchSize)
  for (const { id, env } of plans) await updatePlan(db, id, { env: reseal(`plan ${id}`, env) })
  return tenants.length + plans.length
}

/** Runs `retire` while nobody can seal with an old key, and only when nothing needs one. */
export async function retireOldKeys(control: Control, retire: () => Promise<void>): Promise<boolean> {
  return control.store.changeControl(async (db) => {
    const keyId = control.keyRing.currentKeyId()
    const left = [...(await tenantsNotSealedBy(db, keyId, 1)), ...(await plansNotSealedBy(db, keyId, 1))]
    if (left.length > 0 || !(await isMarkSealedBy(db, keyId))) return false
    await retire()
    return true
  })
}
