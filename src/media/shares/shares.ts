import { hash } from 'node:crypto'
import { type CreatedPosition, limitReached, type UserCaller } from '../../accounts/index.ts'
import { inTransaction } from '../../db/index.ts'
import { faultOf } from '../../lib/faults.ts'
import { isId, randomId, randomSecret } from '../../lib/ids.ts'
import { sealText } from '../../lib/sealed-text.ts'
import { type ChangingSite, limitOf, readSettings, recordChange, type Site } from '../../site/index.ts'
import { albumOfId } from '../albums/albums.ts'
import { findAlbum } from '../albums/albums-table.ts'
import { asKnown, checkMayChange } from '../albums/own-albums.ts'
import { invalidField, noSuchFile } from '../errors.ts'
import { fileOfId } from '../files/edit/moderation.ts'
import { findFile } from '../files/files-table.ts'
import { ownFileIds } from '../files/list/file-lists-table.ts'
import { lockSite } from '../lock-site.ts'
import { visibilityById } from '../visibility.ts'
import { countLiveShares } from './share-counts-table.ts'
import { checkUploads, isLive, noSuchShare, notYourShare } from './share-rules.ts'
import {
  findShare,
  insertShare,
  revokeShareRow,
  type Share,
  type StoredShare,
  sharesAfter,
  updateShare,
} from './shares-table.ts'

export interface NewShare {
  albumId?: string
  fileId?: string
  /** Several files, each once. */
  fileIds?: readonly string[]
  name?: string | undefined
  /** Undefined: by the setting `share_days`; null: never. */
  expiresAt?: Date | null | undefined
  maxViews?: number | undefined
  passwordHash?: string | undefined
  allowsDownload?: boolean | undefined
  allowsUpload?: boolean | undefined
  maxUploads?: number | undefined
  message?: string | undefined
  asksName?: boolean | undefined
}

export const hashOfShareToken = (token: string): string => hash('sha256', token, 'hex')

/** The text that a sealed token is bound to. */
export const tokenOwner = (shareId: string): string => `share ${shareId}`

/** How many files one share opens. */
export const mostSharedFiles = 500

/** Shares an album or files of the caller. `key` seals the token, so that its address can be shown again. */
export async function createShare(
  site: ChangingSite,
  caller: UserCaller,
  input: NewShare,
  key: Uint8Array,
): Promise<Share> {
  return asKnown(site, caller, async (known) => {
    if (input.albumId !== undefined) await checkMayChange(known, caller, input.albumId)
    if (input.fileId !== undefined) await checkMayShare(known, caller, [input.fileId])
    if (input.fileIds) await checkMayShare(known, caller, input.fileIds)
    return addShare(known, { ...input, userId: caller.userId }, key)
  })
}

async function checkMayShare(site: Site, caller: UserCaller, ids: readonly string[]): Promise<void> {
  const own = new Set(await ownIds(site, caller, ids))
  const other = ids.find((id) => !own.has(id))
  if (other !== undefined) throw noSuchFile(other)
}

const ownIds = ({ db, clock }: Site, caller: UserCaller, ids: readonly string[]): Promise<string[]> =>
  ownFileIds(db, visibilityById(caller), { ids, now: clock.now() })

/**
 * Whether a share is about an album or files that are not all the caller's: only staff shares these. To all others it is false, so
 * that the answer does not tell the caller what there is.
 */
export async function isOfOthers(
  { db, clock }: Site,
  caller: UserCaller,
  { albumId = '', fileId = '', fileIds }: Partial<Pick<Share, 'albumId' | 'fileId' | 'fileIds'>>,
): Promise<boolean> {
  const visibility = visibilityById(caller)
  if (!visibility.seesAll) return false
  if (fileIds) {
    const ids = fileIds.filter((id) => isId(id))
    const own = await ownFileIds(db, { ...visibility, seesAll: false }, { ids, now: clock.now() })
    return own.length < fileIds.length
  }
  const album = isId(albumId) ? await findAlbum(db, albumId) : undefined
  const file = isId(fileId) ? await findFile(db, fileId, clock.now()) : undefined
  return (album ?? file)?.userId !== caller.userId
}

/** Adds a share for a user, in the transaction of its caller, which has checked what is shared. */
export async function addShare(
  site: ChangingSite,
  {
    userId,
    albumId,
    fileId,
    fileIds,
    passwordHash,
    maxViews,
    maxUploads,
    ...input
  }: NewShare & { userId: string },
  key: Uint8Array,
): Promise<Share> {
  const id = randomId()
  // 22 characters of 62 are 131 bits.
  const token = randomSecret(16)
  const now = site.clock.now()
  const share: StoredShare = {
    id,
    userId,
    albumId,
    fileId,
    ...(fileIds && { fileIds }),
    passwordHash,
    maxViews,
    maxUploads,
    views: 0,
    uploads: 0,
    name: input.name ?? '',
    sealedToken: sealText(key, token, tokenOwner(id)),
    allowsDownload: input.allowsDownload ?? true,
    allowsUpload: input.allowsUpload ?? false,
    message: input.message ?? '',
    asksName: input.asksName ?? false,
    createdAt: now,
    expiresAt:
      input.expiresAt === undefined ? await usualShareEnd(site, now) : (input.expiresAt ?? undefined),
    revokedAt: undefined,
  }
  checkUploads(share)
  await lockShares(site)
  if (isLive(share, now)) await checkRoomForShare(site)
  await insertShare(site.db, share, hashOfShareToken(token))
  await recordChange(site, { verb: 'share.created', target: id, after: share })
  return shareOfId(site, id)
}

/** If shares are limited, counts and changes of them are serial. */
async function lockShares({ db, values }: ChangingSite): Promise<void> {
  if (limitOf(values, 'SERVICE_MAX_SHARES') !== undefined) await lockSite(db)
}

/** Refuses one more share that works than the site may have. */
async function checkRoomForShare({ db, values, clock }: ChangingSite): Promise<void> {
  const limit = limitOf(values, 'SERVICE_MAX_SHARES')
  if (limit !== undefined && (await countLiveShares(db, clock.now())) >= limit)
    throw limitReached('SERVICE_MAX_SHARES', limit)
}

/** Shares an album or file for its owner, for an operator. */
export async function createShareOf(site: ChangingSite, input: NewShare, key: Uint8Array): Promise<Share> {
  if (input.name !== undefined && [...input.name].length > 100)
    throw invalidField(faultOf('name', 'mostLength', { most: 100, length: [...input.name].length }))
  if (input.expiresAt && input.expiresAt <= site.clock.now()) throw invalidField(faultOf('expires', 'future'))
  return inTransaction(site.db, async (db) => {
    const userId =
      input.albumId === undefined
        ? (await fileOfId({ ...site, db }, input.fileId ?? '')).userId
        : (await albumOfId(db, input.albumId)).userId
    if (userId === undefined) throw invalidField(faultOf('file', 'fileOfUser'))
    return addShare({ ...site, db }, { ...input, userId }, key)
  })
}

const dayMs = 24 * 3_600_000

/** When a share ends whose maker names no end, by the setting `share_days`. */
export async function usualShareEnd(site: Site, now: Date): Promise<Date | undefined> {
  const { share_days: days } = await readSettings(site)
  return days === '0' ? undefined : new Date(now.getTime() + Number(days) * dayMs)
}

/**
 * A page of the caller's shares, the youngest first. Of one album or file, by itself or with others: those of all makers, for its
 * owner, administrators and managers.
 */
export async function listOwnShares(
  site: Site,
  caller: UserCaller,
  { albumId, fileId }: { albumId: string | undefined; fileId: string | undefined },
  position: { after: CreatedPosition | undefined; limit: number },
): Promise<Share[]> {
  const { userId } = caller
  const page = { ...position, now: site.clock.now() }
  if (albumId === undefined && fileId === undefined) return sharesAfter(site.db, { madeBy: userId }, page)
  const seenBy = visibilityById(caller).seesAll ? undefined : userId
  const shares = await sharesAfter(site.db, { seenBy, albumId, fileId }, page)
  return Promise.all(shares.map((share) => asSeenBy(site, caller, share)))
}

/** The owner of some of its files sees these, and not its link, which opens the others too. */
async function asSeenBy(site: Site, caller: UserCaller, share: Share): Promise<Share> {
  const isWhole = share.userId === caller.userId || share.ownerIds.every((id) => id === caller.userId)
  if (isWhole || !share.fileIds || visibilityById(caller).seesAll) return share
  return { ...share, sealedToken: '', fileIds: await ownIds(site, caller, share.fileIds) }
}

/** The newest shares of all users, for an operator. */
export const allShares = (site: Site): Promise<Share[]> =>
  sharesAfter(site.db, {}, { after: undefined, limit: mostListed, now: site.clock.now() })

const mostListed = 10_000

/** A share that the caller has made, or of what is the caller's; any for an administrator. A revoked one is answered as unknown. */
export async function readOwnShare(site: Site, caller: UserCaller, id: string): Promise<Share> {
  const share = await shareOfId(site, id)
  if (share.userId !== caller.userId && !mayEndShare(caller, share)) throw noSuchShare(id)
  return asSeenBy(site, caller, share)
}

/** The owner of what it opens, administrators and managers; a maker who has lost the right to share it does not change it. */
export const mayEndShare = (caller: UserCaller, { ownerIds }: Share): boolean =>
  visibilityById(caller).seesAll || ownerIds.includes(caller.userId)

/** An owner ends the shares that the staff has made, and does not change them. */
export const mayEditShare = (caller: UserCaller, share: Share): boolean =>
  mayEndShare(caller, share) && (visibilityById(caller).seesAll || share.userId === caller.userId)

/** Of any user, for an operator. */
export async function shareOfId(site: Site, id: string): Promise<Share> {
  // PostgreSQL refuses some characters, such as NUL, in a text.
  const share = isId(id) ? await findShare(site.db, { id, now: site.clock.now() }) : undefined
  if (!share || share.revokedAt) throw noSuchShare(id)
  return share
}

type Editable = 'name' | 'allowsDownload' | 'allowsUpload' | 'message' | 'asksName'
type Clearable = 'expiresAt' | 'maxViews' | 'passwordHash' | 'maxUploads'

/** Fields that are left out stay; null clears one. */
export type ShareChange = { id: string } & { [Field in Editable]?: Share[Field] | undefined } & {
  [Field in Clearable]?: Share[Field] | null
}

export async function editOwnShare(
  site: ChangingSite,
  caller: UserCaller,
  { id, ...change }: ShareChange,
): Promise<Share> {
  return asKnown(site, caller, async (known) => {
    await lockShares(known)
    const share = await readOwnShare(known, caller, id)
    if (!mayEditShare(caller, share)) throw notYourShare()
    const orClear = <Field extends Clearable>(field: Field): Share[Field] =>
      (change[field] === undefined ? share[field] : (change[field] ?? undefined)) as Share[Field]
    const edited: Share = {
      ...share,
      name: change.name ?? share.name,
      allowsDownload: change.allowsDownload ?? share.allowsDownload,
      allowsUpload: change.allowsUpload ?? share.allowsUpload,
      message: change.message ?? share.message,
      asksName: change.asksName ?? share.asksName,
      expiresAt: orClear('expiresAt'),
      maxViews: orClear('maxViews'),
      passwordHash: orClear('passwordHash'),
      maxUploads: orClear('maxUploads'),
    }
    checkUploads(edited)
    const now = site.clock.now()
    if (isLive(edited, now) && !isLive(share, now)) await checkRoomForShare(known)
    await updateShare(known.db, id, edited)
    await recordChange(known, { verb: 'share.updated', target: id, before: share, after: edited })
    return edited
  })
}

/** Its address and its signed addresses are gone from the next request on, on every server: none of them is cached. */
export async function revokeOwnShare(site: ChangingSite, caller: UserCaller, id: string): Promise<void> {
  await asKnown(site, caller, async (known) => {
    const share = await readOwnShare(known, caller, id)
    if (!mayEndShare(caller, share)) throw notYourShare()
    await revoke(known, share)
  })
}

export function revokeShare(site: ChangingSite, id: string): Promise<Share> {
  return inTransaction(site.db, async (db) => {
    const share = await shareOfId({ ...site, db }, id)
    await revoke({ ...site, db }, share)
    return share
  })
}

async function revoke(site: ChangingSite, share: Share): Promise<void> {
  const { ownerIds: _owners, isSuspended: _state, thing: _thing, ...before } = share
  await revokeShareRow(site.db, share.id, site.clock.now())
  await recordChange(site, { verb: 'share.revoked', target: share.id, before })
}
