import { randomBytes } from 'node:crypto'
import type { Control } from '../control/index.ts'
import { Refusal } from '../lib/refusal.ts'
import {
  type ChangingSite,
  emptySealedSigningKeys,
  findSealedSigningKeys,
  lockTotal,
  previousKey,
  recordChange,
  replaceSealedSigningKeys,
  rotationOf,
  type Site,
  type StoredSigningKeys,
} from '../site/index.ts'
import { changeLocation, type LocationRecord, readLocation } from './locations/site-locations.ts'
import { siteInstalledAt } from './sites-table.ts'

/** The keys of a site as its administrators see them. */
export interface ShownSigningKeys {
  key: Buffer
  createdAt: Date
  /** Undefined once it has ended. */
  previous: { key: Buffer; endsAt: Date } | undefined
}

/** `derivedKey` signs the addresses of a site that never had another key. */
export async function readSigningKeys(
  control: Control,
  site: Site,
  derivedKey: Buffer,
): Promise<ShownSigningKeys> {
  const { key = derivedKey, createdAt } = site.signingKeys ?? {}
  const installedAt = createdAt ? undefined : await siteInstalledAt(control.store.control, site.number)
  return { key, createdAt: createdAt ?? new Date(installedAt ?? 0), previous: previousKey(site) }
}

const ownerOfKeys = (site: number) => `signing keys of site ${site}`

interface Rotation {
  /** The location record, read before the transaction, which must wait for no connection to the control database. */
  record: LocationRecord
  derivedKey: Buffer
  overlapSeconds: number
}

/**
 * Gives the site a new key for its addresses, in the transaction of the caller. The key before it is valid for the overlap,
 * and the one before that ends. Every server knows the keys once they are published.
 */
export async function rotateSigningKey(
  control: Control,
  site: ChangingSite,
  { record, derivedKey, overlapSeconds }: Rotation,
): Promise<ShownSigningKeys> {
  await lockTotal(site.db, 'files')
  const { signingKey = derivedKey.toString('base64'), ...before } = await newestKeys(control, site, record)
  const key = randomBytes(32)
  const createdAt = site.clock.now()
  const endsAt = new Date(createdAt.getTime() + overlapSeconds * 1_000)
  const isOverlapping = overlapSeconds > 0
  const number = rotationOf(before) + 1
  const keys: StoredSigningKeys = {
    signingKey: key.toString('base64'),
    keyRotation: {
      number,
      createdAt: createdAt.toISOString(),
      ...(isOverlapping && { previous: { key: signingKey, endsAt: endsAt.toISOString() } }),
    },
  }
  const sealedKeys = control.keyRing.seal(JSON.stringify(keys), ownerOfKeys(site.number))
  await replaceSealedSigningKeys(site.db, { number, sealedKeys })
  const after = { overlap_seconds: overlapSeconds }
  await recordChange(site, { verb: 'signing_key.rotated', target: '', after })
  const previous = isOverlapping ? { key: Buffer.from(signingKey, 'base64'), endsAt } : undefined
  return { key, createdAt, previous }
}

/** A rotation that was just committed may not be published yet. */
async function newestKeys(
  control: Control,
  site: Site,
  record: LocationRecord,
): Promise<Pick<LocationRecord, 'signingKey' | 'keyRotation'>> {
  const row = await findSealedSigningKeys(site.db)
  if (!row || rotationOf(record) >= row.number) return record
  return unsealKeys(control, site, row.sealedKeys) ?? (await readLocation(control, site.number))
}

/** Undefined if they are published, or if no key decrypts them. */
function unsealKeys(
  { keyRing }: Control,
  { number }: Site,
  sealedKeys: string,
): StoredSigningKeys | undefined {
  if (sealedKeys === '') return undefined
  try {
    return JSON.parse(keyRing.unseal(sealedKeys, ownerOfKeys(number)))
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/**
 * Copies the keys of the last rotation to the location record. That raises the control version, so every server knows them
 * with its next request. From then on they are stored there alone. What a killed process left is published by the next sync.
 */
export async function publishSigningKeys(control: Control, site: Site): Promise<void> {
  const row = await findSealedSigningKeys(site.db)
  const keys = row && unsealKeys(control, site, row.sealedKeys)
  if (!keys) return
  await changeLocation(control, site.number, (record) =>
    rotationOf(record) >= row.number ? undefined : { ...record, ...keys },
  )
  await emptySealedSigningKeys(site.db, row.number)
}
