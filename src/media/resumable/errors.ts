import { Refusal } from '../../lib/refusal.ts'

/** Unknown, and another caller's, alike. */
export const uploadNotFound = () => new Refusal('not-found', 'upload-not-found', 'There is no such upload.')

export const uploadEnded = () =>
  new Refusal('not-found', 'gone', 'This upload has ended. Create another one for the file.')

export const otherOffset = (offsetBytes: number, sent: number) =>
  new Refusal(
    'conflict',
    'offset-differs',
    `Upload-Offset: must be ${offsetBytes}, which is what is stored, not ${sent}.`,
  )

export const takenOver = () =>
  new Refusal('conflict', 'offset-differs', 'Another request has taken this upload over. Ask for its offset.')

export const beingFinished = () =>
  new Refusal('conflict', 'upload-locked', 'The file of this upload is being made. Ask again in a moment.', {
    retryAfterSeconds: 1,
  })

export const unfinishedUpload = (offsetBytes: number, lengthBytes: number) =>
  new Refusal(
    'conflict',
    'upload-unfinished',
    `The upload is not finished: ${offsetBytes} of ${lengthBytes} bytes are stored.`,
  )

export const longerThanUpload = (lengthBytes: number) =>
  new Refusal(
    'too-large',
    'longer-than-upload',
    `The body must end with the upload, which has ${lengthBytes} bytes (Upload-Length).`,
  )

export const checksummedTooLong = (mostBytes: number) =>
  new Refusal(
    'too-large',
    'checksummed-too-long',
    `A body with Upload-Checksum must be at most ${mostBytes} bytes long.`,
  )

export const checksumDiffers = (algorithm: string) =>
  new Refusal(
    'invalid',
    'checksum-mismatch',
    `Upload-Checksum: the ${algorithm} of the body is another one. Nothing of this body was kept.`,
  )
