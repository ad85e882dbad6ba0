import { Refusal } from '../lib/refusal.ts'

export const badParameter = (name: string, fault: string) =>
  new Refusal('invalid', 'bad-parameter', `${name}: ${fault}`)

export const emptySource = () => new Refusal('invalid', 'empty-source', 'Empty upload source')

export const mayNotUpload = (message: string) => new Refusal('forbidden', 'may-not-upload', message)

export const notYourAlbum = () =>
  new Refusal('forbidden', 'not-your-album', 'album_id: is not an album of yours')

export const duplicatedUpload = () => new Refusal('invalid', 'duplicate', 'Duplicated upload')

export const flooded = (most: number, period: string) =>
  new Refusal('too-many', 'flood', `Flooding detected. You can only upload ${most} files per ${period}`)

export const fileTooBig = (most: string) =>
  new Refusal('too-large', 'file-too-big', `File too big - max ${most}`)

export const fileNotFound = () => new Refusal('not-found', 'file-not-found', 'There is no such file.')

export const noSuchUser = (username: string) =>
  new Refusal('not-found', 'user-not-found', `There is no user "${username}".`)

export const categoryExists = (name: string) =>
  new Refusal('conflict', 'category-exists', `There is already a category "${name}".`)

export const invalidField = (field: string, fault: string) =>
  new Refusal('invalid', 'invalid-field', `${field}: ${fault}`)
