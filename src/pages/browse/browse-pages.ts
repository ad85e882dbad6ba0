import { noProof } from '../../http/requests/proof-rule.ts'
import type { PageHandler, PageRoute } from '../page-call.ts'
import { getWithheldPicture } from '../pictures.ts'
import { getAlbum, postAlbum } from './albums/album.ts'
import { getAlbumZip } from './albums/album-zip.ts'
import { getAlbums } from './albums/albums.ts'
import {
  getAlbumDelete,
  getAlbumEdit,
  getNewAlbum,
  postAlbumDelete,
  postAlbumEdit,
  postNewAlbum,
} from './albums/edit-album.ts'
import { bulkEditPages } from './bulk-edit/bulk-edit-pages.ts'
import { getExplore } from './files/explore.ts'
import { showGuestFiles } from './files/guest-files.ts'
import { getCategories, getCategory, getTag, getTags } from './files/labels.ts'
import { getMine } from './files/mine.ts'
import { getPerson, getPersonAlbums } from './files/person.ts'
import { getSearch, getSuggestions } from './files/search.ts'
import { getIds, getNew, getShape, getWindow } from './lists/shape-calls.ts'
import { getTrash, postTrash } from './trash/trash.ts'
import { getTrashedFile } from './trash/trashed-file.ts'
import { getFileEdit, postFileEdit, postFileTrash, postLike } from './viewer/change-file.ts'
import { postReport, showReport } from './viewer/report-file.ts'

/** A guest sees what this browser has uploaded. */
const showMine: PageHandler = (call) => (call.session ? getMine(call) : showGuestFiles(call))

/** Lists of files and albums, and what their grids ask for. */
export const browsePages: readonly PageRoute[] = [
  {
    method: 'GET',
    path: '/mine/files/{id}/picture',
    access: 'member',
    handle: getWithheldPicture,
    isAsset: true,
  },
  { method: 'GET', path: '/explore', access: 'anyone', handle: getExplore },
  { method: 'GET', path: '/tags', access: 'anyone', handle: getTags },
  { method: 'GET', path: '/tag/{name}', access: 'anyone', handle: getTag },
  { method: 'GET', path: '/categories', access: 'anyone', handle: getCategories },
  { method: 'GET', path: '/category/{key}', access: 'anyone', handle: getCategory },
  { method: 'GET', path: '/search', access: 'anyone', handle: getSearch },
  { method: 'GET', path: '/albums', access: 'anyone', handle: getAlbums },
  { method: 'GET', path: '/albums/new', access: 'member', handle: getNewAlbum },
  { method: 'POST', path: '/albums/new', access: 'member', proof: noProof.ownThings, handle: postNewAlbum },
  { method: 'GET', path: '/album/{name}', access: 'anyone', handle: getAlbum },
  {
    method: 'POST',
    path: '/album/{name}',
    access: 'anyone',
    proof: noProof.link,
    handle: postAlbum,
    isForGuests: true,
  },
  { method: 'GET', path: '/album/{name}/zip', access: 'anyone', handle: getAlbumZip },
  { method: 'GET', path: '/album/{name}/edit', access: 'member', handle: getAlbumEdit },
  {
    method: 'POST',
    path: '/album/{name}/edit',
    access: 'member',
    proof: noProof.ownThings,
    handle: postAlbumEdit,
  },
  { method: 'GET', path: '/album/{name}/delete', access: 'member', handle: getAlbumDelete },
  {
    method: 'POST',
    path: '/album/{name}/delete',
    access: 'member',
    proof: noProof.ownThings,
    handle: postAlbumDelete,
  },
  { method: 'GET', path: '/mine', access: 'anyone', handle: showMine },
  { method: 'GET', path: '/mine/trash', access: 'member', handle: getTrash },
  { method: 'POST', path: '/mine/trash', access: 'member', proof: noProof.ownThings, handle: postTrash },
  { method: 'GET', path: '/mine/trash/{id}', access: 'member', handle: getTrashedFile },
  { method: 'GET', path: '/user/{name}', access: 'anyone', handle: getPerson },
  { method: 'GET', path: '/user/{name}/albums', access: 'anyone', handle: getPersonAlbums },
  { method: 'GET', path: '/{name}', access: 'anyone', handle: getPerson },
  { method: 'GET', path: '/{name}/albums', access: 'anyone', handle: getPersonAlbums },
  { method: 'GET', path: '/image/{name}/edit', access: 'member', handle: getFileEdit('image') },
  {
    method: 'POST',
    path: '/image/{name}/edit',
    access: 'member',
    proof: noProof.ownThings,
    handle: postFileEdit('image'),
  },
  {
    method: 'POST',
    path: '/image/{name}/trash',
    access: 'member',
    proof: noProof.ownThings,
    handle: postFileTrash('image'),
  },
  { method: 'GET', path: '/video/{name}/edit', access: 'member', handle: getFileEdit('video') },
  {
    method: 'POST',
    path: '/video/{name}/edit',
    access: 'member',
    proof: noProof.ownThings,
    handle: postFileEdit('video'),
  },
  {
    method: 'POST',
    path: '/video/{name}/trash',
    access: 'member',
    proof: noProof.ownThings,
    handle: postFileTrash('video'),
  },
  { method: 'GET', path: '/image/{name}/report', access: 'anyone', handle: showReport('image') },
  {
    method: 'POST',
    path: '/image/{name}/report',
    access: 'anyone',
    proof: noProof.ownThings,
    handle: postReport('image'),
  },
  { method: 'GET', path: '/video/{name}/report', access: 'anyone', handle: showReport('video') },
  {
    method: 'POST',
    path: '/video/{name}/report',
    access: 'anyone',
    proof: noProof.ownThings,
    handle: postReport('video'),
  },
  {
    method: 'POST',
    path: '/-/files/{id}/like',
    access: 'member',
    proof: noProof.ownThings,
    handle: postLike,
  },
  { method: 'GET', path: '/-/files/shape', access: 'anyone', handle: getShape },
  { method: 'GET', path: '/-/files/ids', access: 'anyone', handle: getIds },
  { method: 'GET', path: '/-/suggestions', access: 'anyone', handle: getSuggestions },
  { method: 'GET', path: '/-/files/window', access: 'anyone', handle: getWindow },
  { method: 'GET', path: '/-/files/new', access: 'anyone', handle: getNew },
  ...bulkEditPages,
]
