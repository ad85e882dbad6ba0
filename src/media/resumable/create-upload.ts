import { type Caller, checkStillKnown, hasAbility, limitReached, scopeMissing } from '../../accounts/index.ts'
import { inTransaction, type SiteDb } from '../../db/index.ts'
import { faultOf } from '../../lib/faults.ts'
import { randomId } from '../../lib/ids.ts'
import { addressKey } from '../../lib/net/addresses.ts'
import { type ChangingSite, limitOf } from '../../site/index.ts'
import { badParameter, emptySource, fileTooBig } from '../errors.ts'
import { type Removal, removeBytesNow } from '../files/removal/delete-files.ts'
import { checkMayReplace } from '../files/revisions/replace-file.ts'
import { lockSite } from '../lock-site.ts'
import { readCollectedRequest } from '../shares/collect-files.ts'
import { takeUploadSlot } from '../upload/rate-limit.ts'
import { largestUpload } from '../upload/upload.ts'
import { readUploadRequest } from '../upload/upload-request.ts'
import { endIdleUpload } from './end-upload.ts'
import {
  countOpenUploads,
  idleUploads,
  insertUpload,
  type ResumableUpload,
  type UploadOwner,
} from './resumable-uploads-table.ts'
import { checkRoomFor } from './storage-limit.ts'
import { type Uploader, uploaderOf } from './upload-owner.ts'
import { expiresAfterBytes, receivingUntil } from './upload-times.ts'

export interface NewResumableUpload {
  lengthBytes: number
  /** As the client sent it. */
  metadata: string
  /** The same, read, without the name of the file. */
  parameters: ReadonlyMap<string, string>
  /** The IP address of the client. */
  address: string
  /** Whether the request that creates it has bytes of the file too. */
  isWithBytes: boolean
  /** Keeps the answer for an Idempotency-Key; part of the transaction that inserts the upload. */
  keep?: ((db: SiteDb, upload: ResumableUpload) => Promise<void>) | undefined
}

/** For the variants of the file, which are made when it is complete. */
const variantBytes = 1_000_000

/** Opens an upload: its parameters, its length and every limit are checked before the first byte, and its storage is reserved. */
export async function createUpload(
  site: ChangingSite,
  caller: Caller,
  { lengthBytes, metadata, parameters, address, isWithBytes, keep }: NewResumableUpload,
): Promise<ResumableUpload> {
  const uploader = await uploaderOf(site, caller)
  const { actor, settings, share } = uploader
  if (lengthBytes === 0) throw emptySource()
  const maxBytes = await largestUpload(site, actor)
  if (lengthBytes > maxBytes) throw fileTooBig(maxBytes)
  const { albumId, ownerId, files } = await checkParameters(site, caller, uploader, parameters)
  const reservedBytes = lengthBytes + variantBytes
  const network = addressKey(address)
  const userId = share || actor.kind === 'guest' ? undefined : actor.userId

  const owner = userId === undefined ? { address: network } : { userId }
  const { upload, removals } = await inTransaction(site.db, async (db) => {
    const changing = { ...site, db }
    const createdAt = site.clock.now()
    await lockSite(db)
    await checkStillKnown(db, actor, createdAt)
    const removals = await endIdleUploads(changing, owner)
    await checkRoomFor(changing, { userId: ownerId, files, bytes: reservedBytes })
    const rateLimitHitId = await takeUploadSlot(changing, actor, { address, settings })
    const upload: ResumableUpload = {
      id: randomId(24),
      userId,
      shareId: share?.id,
      ownerId,
      albumId,
      address: network,
      lengthBytes,
      offsetBytes: 0,
      reservedBytes,
      metadata,
      rateLimitHitId,
      state: 'open',
      token: randomId(),
      fileId: undefined,
      answer: undefined,
      leasedUntil: isWithBytes ? receivingUntil(createdAt) : undefined,
      activeAt: createdAt,
      createdAt,
      expiresAt: expiresAfterBytes(createdAt, createdAt),
    }
    await insertUpload(db, upload)
    await keep?.(db, upload)
    return { upload, removals }
  })
  await removeBytesNow(site, removals)
  return upload
}

/** What will become of an upload. */
interface Purpose {
  /** The album that the file goes into. */
  albumId: string | undefined
  /** Who will own its bytes; undefined for a guest. */
  ownerId: string | undefined
  /** How many files it adds. */
  files: number
}

/** Refuses parameters that the finished upload would be refused for. */
async function checkParameters(
  site: ChangingSite,
  caller: Caller,
  { actor, share }: Uploader,
  parameters: ReadonlyMap<string, string>,
): Promise<Purpose> {
  const target = parameters.get('replace')
  if (target !== undefined) {
    if (share || caller.kind === 'guest' || !hasAbility(caller.scope, 'write')) throw scopeMissing('write')
    for (const name of parameters.keys())
      if (name !== 'replace') throw badParameter(faultOf(name, 'untakenWithReplace'))
    const { userId: ownerId } = await checkMayReplace(site, caller, { id: target })
    return { albumId: caller.albumId, ownerId, files: 0 }
  }
  const ownerId = actor.kind === 'user' ? actor.userId : undefined
  if (share) {
    const { albumId } = await readCollectedRequest(site, actor, { parameters })
    return { albumId, ownerId, files: 1 }
  }
  if (parameters.has('contributor')) throw badParameter(faultOf('contributor', 'unknownParameter'))
  const request = await readUploadRequest(site, actor, { parameters, isThirdPartyFormat: false })
  return { albumId: request.albumId, ownerId, files: 1 }
}

const limitName = 'SERVICE_MAX_OPEN_UPLOADS'

/**
 * Keeps the limit of open uploads: those idle longest give way to the new one. Refused if a server is receiving or finishing all of
 * them. Guests are counted by address, and get a quarter of what a user gets. Under the site lock.
 */
async function endIdleUploads({ db, values, clock }: ChangingSite, owner: UploadOwner): Promise<Removal[]> {
  const ofUser = limitOf(values, limitName)
  if (ofUser === undefined) return []
  const limit = 'userId' in owner ? ofUser : Math.ceil(ofUser / 4)
  const now = clock.now()
  let surplus = (await countOpenUploads(db, owner, now)) + 1 - limit
  if (surplus <= 0) return []
  const removals: Removal[] = []
  for (const idle of await idleUploads(db, owner, now)) {
    if (surplus === 0) break
    const ended = await endIdleUpload(db, idle, now)
    if (!ended) continue
    removals.push(...ended)
    surplus -= 1
  }
  if (surplus > 0) throw limitReached(limitName, limit)
  return removals
}
