import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Caller, SharedAccess } from '../../accounts/index.ts'
import type { Site } from '../../site/index.ts'
import { mayChange } from '../files/edit/changeable-files.ts'
import type { StoredFile } from '../files/stored-file.ts'
import { visibilityById } from '../visibility.ts'
import { isEnded, isLetterBox, passNotValid, shareEnded } from './share-rules.ts'
import { findShare, type Share } from './shares-table.ts'

export const passSeconds = 3_600

/** Proves that its holder has opened the share. Valid for an hour at most, until the share ends or its password changes. */
export interface SharePass {
  pass: string
  endsAt: Date
}

export function writePass(key: Uint8Array, share: Share, now: Date): SharePass {
  const latest = now.getTime() + passSeconds * 1_000
  const seconds = Math.floor(Math.min(latest, share.expiresAt?.getTime() ?? latest) / 1_000)
  const pass = `${share.id}.${seconds}.${proofOf(key, share, seconds)}`
  return { pass, endsAt: new Date(seconds * 1_000) }
}

/** The id of the share, the end in unix seconds, and the proof. */
export const sharePassForm = '^([A-Za-z0-9]{1,64})\\.(\\d{1,12})\\.([A-Za-z0-9_-]{43})$'

const passForm = new RegExp(sharePassForm)

/** The share of a pass. One that is not valid is refused; one whose share has ended is answered as gone. */
export async function shareOfPass(site: Site, key: Uint8Array, pass: string): Promise<OpenedShare> {
  const [, id = '', seconds = '', proof = ''] = passForm.exec(pass) ?? []
  const share = id === '' ? undefined : await findShare(site.db, id)
  const now = site.clock.now()
  if (!share) throw passNotValid()
  if (isEnded(share, now)) throw shareEnded()
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

/** What a caller with the pass may see beyond his own rights. A letter box shows nothing. */
export const accessOf = ({ share, endsAt }: OpenedShare): SharedAccess => ({
  shareId: share.id,
  albumId: share.albumId,
  fileId: share.fileId,
  endsAt,
  showsFiles: !isLetterBox(share),
  allowsDownload: share.allowsDownload,
})

/** The share by which the caller sees the file; undefined for one that the caller may change. */
export function shareGiving(caller: Caller, file: StoredFile): SharedAccess | undefined {
  const { share } = caller
  if (!share || mayChange(visibilityById(caller), file)) return undefined
  const isShared = share.fileId === undefined ? share.albumId === file.albumId : share.fileId === file.id
  return isShared ? share : undefined
}

const proofOf = (key: Uint8Array, { id, passwordHash = '' }: Share, seconds: number) =>
  createHmac('sha256', key).update(`${id} ${seconds} ${passwordHash}`).digest('base64url')
