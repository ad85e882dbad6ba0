import { faultOf } from '../../lib/faults.ts'
import { Refusal } from '../../lib/refusal.ts'
import { passwordFault } from '../albums/album-rules.ts'
import { invalidField } from '../errors.ts'
import type { Share } from './shares-table.ts'

/** A share that takes files and shows none. */
export const isUploadOnly = ({ allowsUpload, allowsDownload }: Share): boolean =>
  allowsUpload && !allowsDownload

/** Refuses a share that was revoked or is suspended, or whose time is over. */
export function checkNotEnded({ revokedAt, isSuspended, expiresAt }: Share, now: Date): void {
  if (revokedAt !== undefined || isSuspended) throw shareEnded()
  if (expiresAt !== undefined && expiresAt <= now) throw shareEnded('share-expired')
}

type Ending = Pick<Share, 'revokedAt' | 'expiresAt' | 'maxViews' | 'views'>

/** It has not ended. One that is suspended may open again by itself. */
export const isLive = (share: Ending, now: Date): boolean =>
  share.revokedAt === undefined &&
  (share.expiresAt === undefined || share.expiresAt > now) &&
  !isUsedUp(share)

export const isUsedUp = ({ maxViews, views }: Pick<Share, 'maxViews' | 'views'>): boolean =>
  maxViews !== undefined && views >= maxViews

/** It takes files, but no more of them. */
export const isFull = ({ allowsUpload, maxUploads, uploads }: Share): boolean =>
  allowsUpload && maxUploads !== undefined && uploads >= maxUploads

type Asking = Pick<Share, 'albumId' | 'allowsUpload' | 'maxUploads' | 'message' | 'asksName'>

export function checkUploads(share: Asking): void {
  if (share.albumId === undefined && share.allowsUpload)
    throw invalidField(faultOf('allow_upload', 'uploadsOfFile'))
  if (share.maxUploads !== undefined && !share.allowsUpload)
    throw invalidField(faultOf('max_uploads', 'uploadsNeeded'))
  if (share.message !== '' && !share.allowsUpload) throw invalidField(faultOf('message', 'uploadsNeeded'))
  if (share.asksName && !share.allowsUpload) throw invalidField(faultOf('asks_name', 'uploadsNeeded'))
}

export function checkSharePassword(password: string): void {
  const fault = passwordFault(password)
  if (fault !== undefined) throw invalidField({ field: 'password', ...fault })
}

export const noSuchShare = (id: string) =>
  new Refusal('not-found', 'share-not-found', `There is no share "${id}".`)

export const notYourShare = () => new Refusal('forbidden', 'not-your-share', 'You may not change this share.')

export const unknownShare = () => new Refusal('not-found', 'share-not-found', 'There is no such share.')

/** Programs see that it has ended, readers of its page also why. */
export const shareEnded = (reason: 'share-stopped' | 'share-expired' | 'share-used-up' = 'share-stopped') =>
  new Refusal('not-found', 'gone', 'This share has ended.', { reason })

/** A share without views left is over for visitors who are not in yet. */
export function checkViewsLeft(share: Share): void {
  if (isUsedUp(share)) throw shareEnded('share-used-up')
}

/** Refuses a visitor who uploads without a pass: by the views, which a pass has used, and by the password. */
export function checkSentWithoutPass(share: Share): void {
  checkViewsLeft(share)
  if (share.passwordHash !== undefined) throw sharePasswordNeeded()
}

export const sharePasswordNeeded = () =>
  new Refusal(
    'forbidden',
    'password-needed',
    'This share has a password. Open the share with it, and send the pass as X-Share.',
  )

export const wrongSharePassword = () =>
  new Refusal('forbidden', 'wrong-password', 'That is not the password of this share.')

export const uploadsUsedUp = () =>
  new Refusal('forbidden', 'uploads-used-up', 'This share accepts no more files.')

export const takesNoUploads = () => new Refusal('forbidden', 'may-not-upload', 'This share accepts no files.')

export const passNotValid = () =>
  new Refusal('unauthenticated', 'unauthenticated', 'X-Share is not valid. Open the share again.')
