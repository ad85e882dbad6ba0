import {
  type Control,
  isInstallationSealedBy,
  type KeyFile,
  resealInstallation,
} from '../../control/index.ts'
import type { ControlDb } from '../../db/index.ts'
import type { KeyRing } from '../../lib/key-ring.ts'
import { Refusal } from '../../lib/refusal.ts'
import { cannotReseal } from '../errors.ts'
import { ownerOfLocation } from '../locations/site-locations.ts'
import { locationsNotSealedBy, updateLocation } from '../sites-table.ts'
import { tenantsNotSealedBy, updateTenant } from '../tenants-table.ts'
import type { Owner } from './field-rules.ts'
import { plansNotSealedBy, updatePlan } from './plans-table.ts'

const batchSize = 50

/**
 * Adds a new key, encrypts all stored values with it and removes the old keys. A rotation that was interrupted goes on
 * when it is repeated. Returns the number of values that were encrypted again.
 */
export async function rotateKeys(
  control: Control,
  keyFile: KeyFile,
  onProgress: (done: number) => void = () => undefined,
): Promise<number> {
  await beginRotation(control, keyFile)
  let done = 0
  do {
    await resealInstallation(control)
    const before = done
    done += await resealEnv(control, (more) => onProgress(before + more))
  } while (!(await retireOldKeys(control, () => keyFile.retire())))
  return done
}

/** Under the control lock: of two concurrent additions the key file would lose one. */
async function beginRotation(control: Control, keyFile: KeyFile): Promise<void> {
  await control.store.changeControl(async () => {
    keyFile.refresh()
    if (keyFile.keys().length === 1) await keyFile.add()
  })
}

/**
 * Encrypts every stored `env` and location with the current key. Each batch is one transaction under the control lock:
 * a kill loses nothing and the next call goes on. Returns the number of values that were encrypted again.
 */
export async function resealEnv(control: Control, onProgress: (done: number) => void = () => undefined) {
  const unreadable: Owner[] = []
  let done = 0
  for (const kind of ['tenant', 'plan', 'location'] as const) {
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
  // A value that no key decrypts must not stop the others, but the operator must hear of it.
  if (unreadable.length > 0) throw cannotReseal(unreadable)
  return done
}

interface Page {
  kind: 'tenant' | 'plan' | 'location'
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
  /** A page of the values that are encrypted with another key. */
  find(db: ControlDb, keyId: string, page: { after: string; limit: number }): Promise<Sealed[]>
  update(db: ControlDb, id: string, sealed: string): Promise<void>
}

/** Everything that is stored encrypted. */
const sealedKinds: Record<'tenant' | 'plan' | 'location', SealedKind> = {
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
  location: {
    async find(db, keyId, { after, limit }) {
      const rows = await locationsNotSealedBy(db, keyId, { after: after || '0', limit })
      return rows.map((row) => ({
        id: String(row.number),
        owner: ownerOfLocation(row.number),
        sealed: row.place,
      }))
    },
    update: (db, id, place) => updateLocation(db, Number(id), place),
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

/** Runs `retire` under the control lock, and only if no stored value needs an old key. */
export async function retireOldKeys(control: Control, retire: () => Promise<void>): Promise<boolean> {
  return control.store.changeControl(async (db) => {
    const keyId = control.keyRing.currentKeyId()
    const any = { after: '', limit: 1 }
    const remaining = await Promise.all(Object.values(sealedKinds).map(({ find }) => find(db, keyId, any)))
    if (remaining.flat().length > 0 || !(await isInstallationSealedBy(db, keyId))) return false
    await retire()
    return true
  })
}
