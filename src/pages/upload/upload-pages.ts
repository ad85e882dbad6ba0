import { noProof } from '../../http/requests/proof-rule.ts'
import type { PageRoute } from '../page-call.ts'
import { postShared, postUpload, showShared } from './plain/post-upload.ts'
import { postFiles } from './post-files.ts'
import { getUploadData, showHome, showUpload } from './show-upload.ts'

/** The upload page, and what its queue asks. */
export const uploadPages: readonly PageRoute[] = [
  { method: 'GET', path: '/', access: 'anyone', handle: showHome },
  { method: 'GET', path: '/upload', access: 'anyone', handle: showUpload },
  {
    method: 'POST',
    path: '/upload',
    access: 'anyone',
    proof: noProof.ownThings,
    handle: postUpload,
    hasOwnBody: true,
  },
  { method: 'GET', path: '/upload/shared', access: 'anyone', handle: showShared },
  {
    method: 'POST',
    path: '/upload/shared',
    access: 'anyone',
    proof: noProof.ownThings,
    handle: postShared,
    hasOwnBody: true,
    isFromBrowser: true,
  },
  { method: 'GET', path: '/-/upload', access: 'anyone', handle: getUploadData },
  {
    method: 'POST',
    path: '/-/files',
    access: 'anyone',
    proof: noProof.ownThings,
    handle: postFiles,
    hasOwnBody: true,
  },
]
