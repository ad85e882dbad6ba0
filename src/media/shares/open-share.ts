import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Caller, SharedAccess } from '../../accounts/index.ts'
import type { ChangingSite, Site } from '../../site/index.ts'
import { checkCountedPassword } from '../albums/album-password.ts'
import { fileNotFound } from '../errors.ts'
import type { StoredFile } from '../files/stored-file.ts'
import { mayChange, visibilityById } from '../visibility.ts'
import { updateViews } from './share-counts-table.ts'
import {
  checkNotEnded,
  checkViewsLeft,
  isUploadOnly,
  passNotValid,
  shareEnded,
  sharePasswordNeeded,
  unknownShare,
  wrongSharePassword,
} from './share-rules.ts'
import { hashOfShareToken } from './shares.ts'
import { findShare, findShareByToken, type Share } from './shares-table.ts'

/** The share of an address, without using a view. */
export async function shareOfToken(site: Site, token: string): Promise<Share> {
  const share = /^[A-Za-z0-9]{16,64}$/.test(token)
    ? await findShareByToken(site.db, hashOfShareToken(token), site.clock.now())
    : undefined
  if (!share) throw unknownShare()
  checkNotEnded(share, site.clock.now())
  return share
}

/** A share that a new visitor may open: with its password if it has one, and while it has views left. */
export async function shareForVisitor(
  site: Site,
  { token, password, address }: { token: string; password: string | undefined; address: string },
): Promise<Share> {
  const share = await shareOfToken(site, token)
  checkViewsLeft(share)
  if (share.passwordHash === undefined) return share
  if (password === undefined) throw sharePasswordNeeded()
  const target = `share ${share.id}`
  await checkCountedPassword(site, share.passwordHash, {
    password,
    address,
    target,
    wrong: wrongSharePassword,
  })
  return share
}

/** Uses a view. Of visitors who come at once, no more are let in than there are views left. */
export async function takeView(site: ChangingSite, { id }: Share): Promise<Share> {
  const now = site.clock.now()
  // Read again: the password may have been checked for a while.
  const share = await findShare(site.db, { id, now })
  if (!share) throw shareEnded()
  checkNotEnded(share, now)
  if (!(await updateViews(site.db, id, now))) throw shareEnded('share-used-up')
  return { ...share, views: share.views + 1 }
}

export const passSeconds = 3_600

/** Proves that its holder has opened the share. Valid for an hour at most, until the share ends or its password changes. */
interface SharePass {
  pass: string
  endsAt: Date
}

export function writePass(key: Uint8Array, share: Share, now: Date): SharePass {
  const opened = openedUncounted(share, now)
  return { pass: passOf(key, opened), endsAt: opened.endsAt }
}

/** The pass of a visitor who is in. */
export function passOf(key: Uint8Array, { share, endsAt }: OpenedShare): string {
  const seconds = endsAt.getTime() / 1_000
  return `${share.id}.${seconds}.${proofOf(key, share, seconds)}`
}

/** The share as a visitor sees it whose look is no view, such as the one of a link preview. */
export function openedUncounted(share: Share, now: Date): OpenedShare {
  const latest = now.getTime() + passSeconds * 1_000
  const seconds = Math.floor(Math.min(latest, share.expiresAt?.getTime() ?? latest) / 1_000)
  return { share, endsAt: new Date(seconds * 1_000) }
}

/** The id of the share, the end in unix seconds, and the proof. */
export const sharePassForm = '^([A-Za-z0-9]{1,64})\\.(\\d{1,12})\\.([A-Za-z0-9_-]{43})$'

const passForm = new RegExp(sharePassForm)

/** The share of a pass. One that is not valid is refused; one whose share has ended is answered as gone. */
export async function shareOfPass(site: Site, key: Uint8Array, pass: string): Promise<OpenedShare> {
  const [, id = '', seconds = '', proof = ''] = passForm.exec(pass) ?? []
  const now = site.clock.now()
  const share = id === '' ? undefined : await findShare(site.db, { id, now })
  if (!share) throw passNotValid()
  checkNotEnded(share, now)
  const endsAt = new Date(Number(seconds) * 1_000)
  // As text: the last character holds bits that a decoder drops, so that a changed one would be accepted.
  const isProof = timingSafeEqual(Buffer.from(proofOf(key, share, Number(seconds))), Buffer.from(proof))
  if (!isProof || endsAt <= now) throw passNotValid()
  return { share, endsAt }
}

export interface OpenedShare {
  share: Share
  endsAt: Date
}

/** What a caller with the pass may see beyond his own rights. An upload-only share shows nothing. */
export const accessOf = ({ share, endsAt }: OpenedShare): SharedAccess => ({
  shareId: share.id,
  albumId: share.albumId,
  fileId: share.fileId,
  ...(share.fileIds && { fileIds: share.fileIds }),
  endsAt,
  showsFiles: !isUploadOnly(share),
  allowsDownload: share.allowsDownload,
})

/** The share by which the caller sees the file; undefined for one that the caller may change. */
export function shareGiving(caller: Caller, file: StoredFile): SharedAccess | undefined {
  const { share } = caller
  if (!share || mayChange(visibilityById(caller), file)) return undefined
  return isOfShare(share, file) ? share : undefined
}

/** Whether a share is about a file, which may be private in a shared album. */
export function isOfShare(
  { albumId, fileId, fileIds }: Pick<Share, 'albumId' | 'fileId' | 'fileIds'>,
  file: Pick<StoredFile, 'id' | 'albumId'>,
): boolean {
  if (fileIds) return fileIds.includes(file.id)
  return fileId === undefined ? albumId === file.albumId : fileId === file.id
}

const proofOf = (key: Uint8Array, { id, passwordHash = '' }: Share, seconds: number) =>
  createHmac('sha256', key).update(`${id} ${seconds} ${passwordHash}`).digest('base64url')

interface SharedBytes {
  shareId: string
  file: Pick<StoredFile, 'id' | 'albumId'>
  isOriginal: boolean
}

/**
 * Refuses bytes whose address names a share: as gone if it has ended, or no longer has the file; as unknown if it does not
 * give them. A share that is used up still serves those who are in.
 */
export async function checkSharedBytes(
  site: Site,
  { shareId, file, isOriginal }: SharedBytes,
): Promise<void> {
  const now = site.clock.now()
  const share = await findShare(site.db, { id: shareId, fileId: file.id, now })
  if (!share) throw shareEnded()
  checkNotEnded(share, now)
  if (!isOfShare(share, file)) throw shareEnded()
  if (isUploadOnly(share) || (isOriginal && !share.allowsDownload)) throw fileNotFound()
}
