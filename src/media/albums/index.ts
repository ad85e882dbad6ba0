export type { AlbumListSort, AlbumPosition, SeenAlbum, WithPosition } from './album-lists-table.ts'
export {
  type AlbumAccess,
  albumAccessOf,
  coversOf,
  insideAlbum,
  listSubAlbums,
  seeAlbum,
} from './album-pages.ts'
export {
  checkAlbumPassword,
  isUnlockTokenOf,
  type PasswordAlbum,
  unlockSeconds,
  writeUnlockToken,
} from './album-password.ts'
export { albumSorts, longestAlbumText, longestPassword, passwordFault, privacies } from './album-rules.ts'
export { createAlbum, editAlbum, removeAlbum } from './albums.ts'
export { type Album, allAlbums, type ListedAlbum, type Privacy } from './albums-table.ts'
export { orderFiles } from './order-files.ts'
export {
  type AlbumListing,
  countAlbums,
  createOwnAlbum,
  editOwnAlbum,
  likeAlbum,
  listAlbums,
  moveToNewAlbum,
  readAlbum,
  readAlbumTitle,
  removeOwnAlbum,
} from './own-albums.ts'
