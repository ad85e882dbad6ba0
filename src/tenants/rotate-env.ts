import { type Control, isMarkSealedBy, type KeyFile, leaveMark } from '../control/index.ts'
import type { ControlDb } from '../db/index.ts'
import type { KeyRing } from '../lib/key-ring.ts'
import { Refusal } from '../lib/refusal.ts'
import { cannotReseal } from './errors.ts'
import { plansNotSealedBy, updatePlan } from './plans-table.ts'
import type { Owner } from './sealed-values.ts'
import { ownerOfPlace } from './site-places.ts'
import { placesNotSealedBy, updatePlace } from './sites-table.ts'
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
  for (const kind of ['tenant', 'plan', 'place'] as const) {
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
  kind: 'tenant' | 'plan' | 'place'
  after: string
}

async function resealBatch({ keyRing }: Control, db: ControlDb, { kind, after }: Page) {
  const { find, update } = sealedKinds[kind]
  const rows = await find(db, keyRing.currentKeyId(), { after, limit: batchSize })
  const unreadable: Owner[] = []
  for (const { id, owner, sealed } of rows) {
    const text = textIfReadable(keyRing, owner, sealed)
    if (text === undefined) unreadable.push(owner)
    else await update(db, id, keyRing.seal(text, owner))
  }
  return { sealed: rows.length - unreadable.length, unreadable, last: rows.at(-1)?.id }
}

interface Sealed {
  id: string
  owner: Owner
  sealed: string
}

interface SealedKind {
  /** A page of those that another key has sealed. */
  find(db: ControlDb, keyId: string, page: { after: string; limit: number }): Promise<Sealed[]>
  update(db: ControlDb, id: string, sealed: string): Promise<void>
}

/** Everything that is kept sealed. */
const sealedKinds: Record<'tenant' | 'plan' | 'place', SealedKind> = {
  tenant: {
    async find(db, keyId, page) {
      const rows = await tenantsNotSealedBy(db, keyId, page)
      return rows.map(({ id, env }) => ({ id, owner: `tenant ${id}`, sealed: env }))
    },
    update: (db, id, env) => updateTenant(db, id, { env }),
  },
  plan: {
    async find(db, keyId, page) {
      const rows = await plansNotSealedBy(db, keyId, page)
      return rows.map(({ id, env }) => ({ id, owner: `plan ${id}`, sealed: env }))
    },
    update: (db, id, env) => updatePlan(db, id, { env }),
  },
  place: {
    async find(db, keyId, { after, limit }) {
      const rows = await placesNotSealedBy(db, keyId, { after: after || '0', limit })
      return rows.map((row) => ({
        id: String(row.number),
        owner: ownerOfPlace(row.number),
        sealed: row.place,
      }))
    },
    update: (db, id, place) => updatePlace(db, Number(id), place),
  },
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
    const left = await Promise.all(Object.values(sealedKinds).map(({ find }) => find(db, keyId, any)))
    if (left.flat().length > 0 || !(await isMarkSealedBy(db, keyId))) return false
    await retire()
    return true
  })
}
