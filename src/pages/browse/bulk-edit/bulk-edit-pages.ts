import { noProof } from '../../../http/requests/proof-rule.ts'
import type { PageRoute } from '../../page-call.ts'
import { sharedAlbum, sharedFile, sharedFiles } from '../shares/shared-things.ts'
import {
  getFileShares,
  getShareEdit,
  getShares,
  getSharesOf,
  isShareOfOthers,
  postShareEdit,
  postShareRevoke,
  postSharesOf,
  sharesOthers,
} from '../shares/shares.ts'
import { postSelected } from './post-selected.ts'
import { postZip } from './zip-files.ts'

/** What is done with selected files, and shares. */
export const bulkEditPages: readonly PageRoute[] = [
  {
    method: 'POST',
    path: '/mine/selected',
    access: 'member',
    proof: noProof.ownThings,
    handle: postSelected,
  },
  { method: 'GET', path: '/mine/selected/shares', access: 'member', handle: getFileShares },
  {
    method: 'POST',
    path: '/mine/selected/shares',
    access: 'member',
    proof: { ask: 'here', isNeeded: sharesOthers(sharedFiles) },
    handle: postSharesOf(sharedFiles),
  },
  { method: 'POST', path: '/-/zip', access: 'anyone', proof: noProof.reading, handle: postZip },
  { method: 'GET', path: '/mine/shares', access: 'member', handle: getShares },
  { method: 'GET', path: '/mine/shares/{id}', access: 'member', handle: getShareEdit },
  {
    method: 'POST',
    path: '/mine/shares/{id}',
    access: 'member',
    proof: { ask: 'here', isNeeded: isShareOfOthers },
    handle: postShareEdit,
  },
  {
    method: 'POST',
    path: '/mine/shares/{id}/revoke',
    access: 'member',
    proof: noProof.fewerRights,
    handle: postShareRevoke,
  },
  { method: 'GET', path: '/album/{name}/shares', access: 'member', handle: getSharesOf(sharedAlbum) },
  {
    method: 'POST',
    path: '/album/{name}/shares',
    access: 'member',
    proof: { ask: 'here', isNeeded: sharesOthers(sharedAlbum) },
    handle: postSharesOf(sharedAlbum),
  },
  {
    method: 'GET',
    path: '/album/{name}/request',
    access: 'member',
    handle: getSharesOf(sharedAlbum, 'request'),
  },
  {
    method: 'POST',
    path: '/album/{name}/request',
    access: 'member',
    proof: { ask: 'here', isNeeded: sharesOthers(sharedAlbum) },
    handle: postSharesOf(sharedAlbum, 'request'),
  },
  { method: 'GET', path: '/image/{name}/shares', access: 'member', handle: getSharesOf(sharedFile('image')) },
  {
    method: 'POST',
    path: '/image/{name}/shares',
    access: 'member',
    proof: { ask: 'here', isNeeded: sharesOthers(sharedFile('image')) },
    handle: postSharesOf(sharedFile('image')),
  },
  { method: 'GET', path: '/video/{name}/shares', access: 'member', handle: getSharesOf(sharedFile('video')) },
  {
    method: 'POST',
    path: '/video/{name}/shares',
    access: 'member',
    proof: { ask: 'here', isNeeded: sharesOthers(sharedFile('video')) },
    handle: postSharesOf(sharedFile('video')),
  },
]
