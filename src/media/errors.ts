import { formatSize } from '../common/format.ts'
import { type BrokenRule, type Fault, faultOf } from '../lib/faults.ts'
import { invalidFields, Refusal } from '../lib/refusal.ts'

export const badParameter = (...faults: readonly Fault[]) => invalidFields(faults, 'bad-parameter')

export const emptySource = () => new Refusal('invalid', 'empty-source', 'Empty upload source')

export const mayNotUpload = (message: string) => new Refusal('forbidden', 'may-not-upload', message)

export const urlUploadsOff = () =>
  new Refusal('forbidden', 'may-not-upload', 'URL uploading is disabled', { reason: 'url-uploads-off' })

export const notYourAlbum = () =>
  new Refusal('forbidden', 'not-your-album', 'album_id: is not an album of yours')

export const unknownCategory = () => badParameter(faultOf('category_id', 'unknownCategory'))

export const duplicatedUpload = () => new Refusal('invalid', 'duplicate', 'Duplicated upload')

export const flooded = (max: number, period: string) =>
  new Refusal('too-many', 'flood', `Flooding detected. You can only upload ${max} files per ${period}`, {
    params: { most: max, period },
  })

export const fileTooBig = (bytes: number) =>
  new Refusal('too-large', 'file-too-big', `File too big - max ${formatSize(bytes)}`, { params: { bytes } })

export const fileNotFound = () => new Refusal('not-found', 'file-not-found', 'There is no such file.')

export const noSuchFile = (id: string) =>
  new Refusal('not-found', 'file-not-found', `There is no file "${id}".`)

/** A file that the caller sees, but that belongs to another user. */
export const notYourFile = () =>
  new Refusal('forbidden', 'not-your-file', 'This file belongs to another user.')

export const removedByStaff = () =>
  new Refusal(
    'forbidden',
    'removed-by-staff',
    'An administrator removed this file, so you cannot restore it. You can delete it for good.',
  )

export const fileInTrash = () =>
  new Refusal('conflict', 'file-in-trash', 'This file is in the trash. Restore it first.')

export const otherVersion = (version: number) =>
  new Refusal('conflict', 'version-differs', `The version is ${version}.`)

/** A bulk change of all files or none. */
export const bulkFailed = (failed: readonly { id: string; refusal: Refusal | undefined }[]) => {
  const list = failed.map(({ id, refusal }) => `${id}: ${refusal?.message ?? ''}`)
  return new Refusal('conflict', 'bulk-failed', `No file was changed. ${list[0]}`, { list })
}

export const otherType = (type: string, sent: string) =>
  new Refusal(
    'conflict',
    'other-type',
    `The file is of the type ${type}, and the new bytes are of the type ${sent}.`,
  )

export const revisionNotFound = (revision: number) =>
  new Refusal('not-found', 'revision-not-found', `The file has no earlier revision ${revision}.`)

/** The stored bytes are missing, or not those that the row knows. */
export const fileDamaged = () =>
  new Refusal('unavailable', 'file-damaged', 'This file cannot be read at present. Try again shortly.')

export const revisionDamaged = (revision: number) =>
  new Refusal(
    'conflict',
    'damaged',
    `The stored bytes of revision ${revision} are damaged, so the file keeps the ones that it has.`,
  )

export const notInTrash = (id: string) =>
  new Refusal('not-found', 'not-in-trash', `There is no file "${id}" in the trash.`)

export const adminsOnly = (field: string) =>
  new Refusal('forbidden', 'admins-only', `${field}: can be changed only by administrators.`)

export const notYourAlbumField = () =>
  invalidFields([faultOf('album_id', 'albumOfFileOwner')], 'unknown-album')

export const unknownCategoryField = () =>
  invalidFields([faultOf('category_id', 'category')], 'unknown-category')

export const expirationPassed = () => invalidFields([faultOf('expires_at', 'future')], 'expiration-passed')

export const tooManyTags = (most: number, count: number) =>
  invalidFields([faultOf('tags', 'tagsOfFile', { most, count })], 'too-many-tags')

export const albumNotFound = (id: string) =>
  new Refusal('not-found', 'album-not-found', `There is no album "${id}".`)

export const albumTooDeep = (levels: number) =>
  new Refusal('conflict', 'album-too-deep', `Albums can be at most ${levels} levels deep.`)

export const albumCircle = () =>
  new Refusal('conflict', 'album-circle', 'An album cannot be put below itself or one of its sub-albums.')

export const categoryNotFound = (id: number) =>
  new Refusal('not-found', 'category-not-found', `There is no category ${id}.`)

export const categoryKeyNotFound = (urlKey: string) =>
  new Refusal('not-found', 'category-not-found', `There is no category "${urlKey}".`)

export const tagNotFound = (name: string) =>
  new Refusal('not-found', 'tag-not-found', `There is no tag "${name}".`)

export const wrongPassword = () =>
  new Refusal('forbidden', 'wrong-password', 'That is not the password of this album.')

export const tooManyPasswords = (minutes: number) =>
  new Refusal(
    'too-many',
    'too-many-passwords',
    `Too many wrong passwords came from your address. Try again in ${minutes} minutes.`,
  )

/** From all networks together. */
export const tooManyPasswordsFor = (retryAfterSeconds: number) =>
  new Refusal(
    'too-many',
    'too-many-passwords-here',
    `Too many wrong passwords were entered for this link. Try again in ${retryAfterSeconds / 60} minutes.`,
    { retryAfterSeconds },
  )

export const userHasFiles = (username: string, files: number) =>
  new Refusal(
    'conflict',
    'user-has-files',
    `files: must be keep, trash or another user, because the user "${username}" has ${files === 1 ? 'a file' : `${files} files`}.`,
  )

export const noSuchNewOwner = (user: string) =>
  new Refusal('invalid', 'invalid-field', `files: must be keep, trash or another user, not "${user}"`, {
    faults: [{ ...faultOf('files', 'heir'), in: 'query' }],
  })

export const noSuchPage = (name: string) =>
  new Refusal('not-found', 'page-not-found', `There is no page "${name}".`)

export const noSuchPreset = (name: string) =>
  new Refusal('not-found', 'preset-not-found', `There is no preset "${name}".`)

/** No limit that an operator sets. */
export const tooManyPresets = (most: number) =>
  new Refusal('forbidden', 'limit-reached', `A site has at most ${most} presets. Delete one first.`, {
    reason: 'too-many-presets',
    params: { name: 'presets', most, limit: most },
  })

export const presetExists = (name: string) =>
  new Refusal('conflict', 'preset-exists', `There is already a preset "${name}".`)

export const urlKeyTaken = (urlKey: string) =>
  new Refusal('conflict', 'url-key-taken', `There is already a page "${urlKey}".`)

export const categoryExists = (name: string) =>
  new Refusal('conflict', 'category-exists', `There is already a category "${name}".`)

export const invalidField = (...faults: readonly Fault[]) => invalidFields(faults, 'invalid-field')

export const invalidQuery = (rule: BrokenRule) => invalidFields([{ field: 'q', in: 'query', ...rule }])

export const ownFileReported = () =>
  new Refusal('forbidden', 'own-file', 'This file is your own. Delete it instead of reporting it.')

export const alreadyReported = () =>
  new Refusal(
    'conflict',
    'already-reported',
    'You, or another visitor at your address, have reported this file already.',
  )

export const notReported = (id: string) =>
  new Refusal('conflict', 'not-reported', `The file "${id}" has no open report.`)

export const tooManyReports = (most: number, retryAfterSeconds: number) =>
  new Refusal(
    'too-many',
    'too-many-reports',
    `An address can report ${most} files an hour. Try again in ${Math.ceil(retryAfterSeconds / 60)} minutes.`,
    { retryAfterSeconds },
  )

export const notPicture = () =>
  new Refusal(
    'invalid',
    'not-picture',
    'source: must be a picture, not a video. PNG, JPEG and WebP are best.',
  )

export const logoTooHigh = (width: number, height: number) =>
  new Refusal(
    'invalid',
    'logo-too-high',
    `source: a logo is at most twice as high as it is wide; this one has ${width} × ${height} pixels.`,
    { params: { width, height } },
  )

export const brandPictureTooLarge = (bytes: number) =>
  new Refusal('too-large', 'brand-picture-too-large', `source: must be at most ${formatSize(bytes)}.`, {
    params: { bytes },
  })

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
  new Refusal('conflict', 'upload-locked', 'This upload is being processed. Ask again in a moment.', {
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
    `Upload-Checksum: the ${algorithm} of the body is different. Nothing of this body was kept.`,
  )
