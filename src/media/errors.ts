import { Refusal } from '../lib/refusal.ts'

export const badParameter = (name: string, fault: string) =>
  new Refusal('invalid', 'bad-parameter', `${name}: ${fault}`)

export const emptySource = () => new Refusal('invalid', 'empty-source', 'Empty upload source')

export const mayNotUpload = (message: string) => new Refusal('forbidden', 'may-not-upload', message)

export const notYourAlbum = () =>
  new Refusal('forbidden', 'not-your-album', 'album_id: is not an album of yours')

export const unknownCategory = () => badParameter('category_id', 'is not a category of this site')

export const duplicatedUpload = () => new Refusal('invalid', 'duplicate', 'Duplicated upload')

export const flooded = (most: number, period: string) =>
  new Refusal('too-many', 'flood', `Flooding detected. You can only upload ${most} files per ${period}`)

export const fileTooBig = (most: string) =>
  new Refusal('too-large', 'file-too-big', `File too big - max ${most}`)

export const fileNotFound = () => new Refusal('not-found', 'file-not-found', 'There is no such file.')

export const noSuchFile = (id: string) =>
  new Refusal('not-found', 'file-not-found', `There is no file "${id}".`)

export const albumNotFound = (id: string) =>
  new Refusal('not-found', 'album-not-found', `There is no album "${id}".`)

export const categoryNotFound = (id: number) =>
  new Refusal('not-found', 'category-not-found', `There is no category ${id}.`)

export const wrongPassword = () =>
  new Refusal('forbidden', 'wrong-password', 'That is not the password of this album.')

export const tooManyPasswords = (minutes: number) =>
  new Refusal(
    'too-many',
    'too-many-passwords',
    `Too many wrong passwords came from your address. Try again in ${minutes} minutes.`,
  )

export const userHasFiles = (username: string, files: number) =>
  new Refusal(
    'conflict',
    'user-has-files',
    `files: must be keep or delete, because the user "${username}" has ${files === 1 ? 'a file' : `${files} files`}.`,
  )

export const categoryExists = (name: string) =>
  new Refusal('conflict', 'category-exists', `There is already a category "${name}".`)

export const invalidField = (field: string, fault: string) =>
  new Refusal('invalid', 'invalid-field', `${field}: ${fault}`)
