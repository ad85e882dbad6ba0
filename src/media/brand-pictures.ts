import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { checkStillAdministrator, type UserCaller } from '../accounts/index.ts'
import { inTransaction, type SiteDb } from '../db/index.ts'
import { clientDisconnected, type ExamineRequest, type Variant } from '../imaging/index.ts'
import { randomId } from '../lib/ids.ts'
import { type ChangingSite, recordChange, type Site } from '../site/index.ts'
import { diskFault, readProven } from '../storage/index.ts'
import {
  allBrandPictures,
  type BrandPicture,
  type BrandSlot,
  deleteBrandPicture,
  insertBrandPicture,
  keyOfBrandPicture,
} from './brand-pictures-table.ts'
import { brandPictureTooLarge, fileDamaged, logoTooHigh, notPicture } from './errors.ts'
import { type Removal, removeBytesNow } from './files/removal/delete-files.ts'
import { insertRemovals } from './files/removal/reserved-names-table.ts'
import { lockSite } from './lock-site.ts'
import { isDiskFull } from './upload/store-file.ts'
import type { SpooledFile } from './upload/upload-request.ts'

export const brandSlots: readonly BrandSlot[] = ['logo', 'logo-dark', 'icon']

/** Of the file that is sent; what is stored is smaller. */
export const mostBrandBytes = 4_000_000
const mostBrandPixels = 16_000_000

export const listBrandPictures = (site: Site): Promise<BrandPicture[]> => allBrandPictures(site.db)

/** The bytes of a picture that is in use, by what its address says. */
export async function readBrandPicture(
  site: Site,
  { sha256, extension }: Pick<BrandPicture, 'sha256' | 'extension'>,
) {
  const picture = (await allBrandPictures(site.db)).find(
    (each) => each.sha256 === sha256 && each.extension === extension,
  )
  if (!picture) return undefined
  const { sizeBytes } = picture
  const content = await readProven(site.storage, { key: keyOfBrandPicture(picture), sizeBytes, sha256 })
  if (!Buffer.isBuffer(content)) throw fileDamaged()
  return { picture, content }
}

interface NewBrandPicture {
  slot: BrandSlot
  spooled: SpooledFile
  signal?: AbortSignal | undefined
}

/**
 * Decodes a picture like an upload, and stores what was encoded anew: never the bytes that were sent. As for files, bytes
 * are stored before their row, and those of the picture before are removed after it.
 */
export async function setBrandPicture(
  site: ChangingSite,
  caller: UserCaller,
  { slot, spooled, signal }: NewBrandPicture,
): Promise<void> {
  const drawn = await drawPicture(site, slot, spooled, signal)
  const { extension, mime, width, height, path } = drawn
  const bytes = await readFile(path).catch((error) => Promise.reject(diskFault(error)))
  const picture: BrandPicture = {
    slot,
    id: randomId(),
    extension,
    mime,
    width,
    height,
    sizeBytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    createdAt: site.clock.now(),
  }
  const key = keyOfBrandPicture(picture)
  await site.storage.put([{ key, path }])
  let isCommitting = false
  try {
    const turn = async (db: SiteDb) => {
      isCommitting = false
      const { before, removals } = await takeOut(site, db, caller, slot)
      await insertBrandPicture(db, picture)
      await recordPicture({ ...site, db }, slot, { before, after: picture })
      isCommitting = true
      return removals
    }
    const removals = await inTransaction(site.db, turn, async (db) => {
      await lockSite(db)
      isCommitting = (await allBrandPictures(db)).some(({ id }) => id === picture.id)
      return isCommitting
    })
    await removeBytesNow(site, removals)
  } catch (error) {
    // As for uploads: a commit whose answer was lost may still take effect, and then the row needs its bytes.
    if (!isCommitting || isDiskFull(error)) await site.storage.remove([key]).catch(() => undefined)
    throw error
  }
}

/** The site shows our mark and its name again. */
export async function removeBrandPicture(
  site: ChangingSite,
  caller: UserCaller,
  slot: BrandSlot,
): Promise<void> {
  const removals = await inTransaction(site.db, async (db) => {
    const taken = await takeOut(site, db, caller, slot)
    if (taken.before) await recordPicture({ ...site, db }, slot, { before: taken.before })
    return taken.removals
  })
  await removeBytesNow(site, removals)
}

/** Replaces the row of a slot by a removal record. */
async function takeOut(
  { clock }: ChangingSite,
  db: SiteDb,
  caller: UserCaller,
  slot: BrandSlot,
): Promise<{ before: BrandPicture | undefined; removals: Removal[] }> {
  await lockSite(db)
  const now = clock.now()
  await checkStillAdministrator(db, caller, now)
  const before = (await allBrandPictures(db)).find((each) => each.slot === slot)
  const removals = before ? [{ id: randomId(), path: keyOfBrandPicture(before) }] : []
  await deleteBrandPicture(db, slot)
  await insertRemovals(db, removals, now)
  return { before, removals }
}

const recordPicture = (
  site: ChangingSite,
  slot: BrandSlot,
  pictures: { before: BrandPicture | undefined; after?: BrandPicture },
) => recordChange(site, { verb: 'setting.changed', target: slot, ...pictures })

/** A picture of a person: a small square, encoded anew. */
export async function drawProfilePicture(
  site: ChangingSite,
  spooled: SpooledFile,
  signal?: AbortSignal,
): Promise<{ mime: string; bytes: Buffer }> {
  const { mime, path } = await drawPicture(site, 'icon', spooled, signal)
  return { mime, bytes: await readFile(path).catch((error) => Promise.reject(diskFault(error))) }
}

/** A logo is the medium, at most 500 pixels wide; an icon is the thumb, a square. */
async function drawPicture(
  site: ChangingSite,
  slot: BrandSlot,
  { path, sizeBytes }: SpooledFile,
  signal: AbortSignal | undefined,
): Promise<Variant> {
  if (sizeBytes > mostBrandBytes) throw brandPictureTooLarge(mostBrandBytes)
  const request: ExamineRequest = {
    tenantKey: String(site.number),
    outputFolder: dirname(path),
    policy: 'strip_all',
    maxPixels: mostBrandPixels,
    hasMediumAlways: true,
    signal,
  }
  const examined = await site.imaging.examine(path, request).catch((error) => {
    throw signal?.aborted ? clientDisconnected() : diskFault(error)
  })
  if (examined.type !== 'image') throw notPicture()
  const { width, height, thumb, medium } = examined
  if (slot === 'icon' || !medium) return thumb
  if (height > 2 * width) throw logoTooHigh(width, height)
  return medium
}
