import { withoutProof } from '../../requests/proof-rule.ts'
import { getWithheldPicture } from '../browse/files/withheld-picture.ts'
import type { PageRoute } from '../page-call.ts'
import { postFiles, postUndo } from './files/changed-files.ts'
import { showFiles } from './files/files.ts'
import { postModeration, showQueue } from './files/queue.ts'
import { showAlbums } from './labels/albums.ts'
import { postCategory, postCategoryDelete, postCategoryEdit, showCategories } from './labels/categories.ts'
import { postTagDelete, postTagEdit, showTags } from './labels/tags.ts'
import { showOverview } from './overview/overview.ts'
import { showReports } from './reports/reports.ts'
import { postDeleteUser, showDeleteUser } from './users/delete-user.ts'
import { postBan, postPassword, postResetTotp, postRole, showUser } from './users/edit-user.ts'
import { postNewUser, showNewUser } from './users/new-user.ts'
import { showUsers } from './users/users.ts'

/** The dashboard: administrators open all of it, managers what is for `staff`. */
export const dashboardPages: readonly PageRoute[] = [
  { method: 'GET', path: '/dashboard', access: 'staff', handle: showOverview },
  { method: 'GET', path: '/dashboard/queue', access: 'staff', handle: showQueue },
  {
    method: 'POST',
    path: '/dashboard/queue',
    access: 'staff',
    proof: withoutProof.moderation,
    handle: postFiles('/dashboard/queue'),
  },
  {
    method: 'POST',
    path: '/dashboard/queue/undo',
    access: 'staff',
    proof: withoutProof.moderation,
    handle: postUndo('/dashboard/queue'),
  },
  {
    method: 'POST',
    path: '/dashboard/queue/moderation',
    access: 'administrator',
    proof: { ask: '/dashboard/queue' },
    handle: postModeration,
  },
  { method: 'GET', path: '/dashboard/reports', access: 'staff', handle: showReports },
  {
    method: 'POST',
    path: '/dashboard/reports',
    access: 'staff',
    proof: withoutProof.moderation,
    handle: postFiles('/dashboard/reports'),
  },
  {
    method: 'POST',
    path: '/dashboard/reports/undo',
    access: 'staff',
    proof: withoutProof.moderation,
    handle: postUndo('/dashboard/reports'),
  },
  { method: 'GET', path: '/dashboard/files', access: 'staff', handle: showFiles },
  {
    method: 'POST',
    path: '/dashboard/files',
    access: 'staff',
    proof: withoutProof.moderation,
    handle: postFiles('/dashboard/files'),
  },
  {
    method: 'POST',
    path: '/dashboard/files/undo',
    access: 'staff',
    proof: withoutProof.moderation,
    handle: postUndo('/dashboard/files'),
  },
  {
    method: 'GET',
    path: '/dashboard/files/{id}/picture',
    access: 'staff',
    handle: getWithheldPicture,
    isAsset: true,
  },
  { method: 'GET', path: '/dashboard/users', access: 'staff', handle: showUsers },
  { method: 'GET', path: '/dashboard/users/new', access: 'administrator', handle: showNewUser },
  {
    method: 'POST',
    path: '/dashboard/users/new',
    access: 'administrator',
    proof: { ask: 'here' },
    handle: postNewUser,
  },
  { method: 'GET', path: '/dashboard/users/{id}', access: 'staff', handle: showUser },
  {
    method: 'POST',
    path: '/dashboard/users/{id}/role',
    access: 'administrator',
    proof: { ask: '/dashboard/users/{id}' },
    handle: postRole,
  },
  {
    method: 'POST',
    path: '/dashboard/users/{id}/ban',
    access: 'staff',
    proof: { ask: '/dashboard/users/{id}' },
    handle: postBan,
  },
  {
    method: 'POST',
    path: '/dashboard/users/{id}/password',
    access: 'administrator',
    proof: { ask: '/dashboard/users/{id}' },
    handle: postPassword,
  },
  {
    ...{ method: 'POST', path: '/dashboard/users/{id}/second-step', access: 'administrator' },
    proof: { ask: '/dashboard/users/{id}' },
    handle: postResetTotp,
  },
  { method: 'GET', path: '/dashboard/users/{id}/delete', access: 'administrator', handle: showDeleteUser },
  {
    method: 'POST',
    path: '/dashboard/users/{id}/delete',
    access: 'administrator',
    proof: { ask: 'here' },
    handle: postDeleteUser,
  },
  { method: 'GET', path: '/dashboard/albums', access: 'administrator', handle: showAlbums },
  { method: 'GET', path: '/dashboard/categories', access: 'administrator', handle: showCategories },
  {
    method: 'POST',
    path: '/dashboard/categories',
    access: 'administrator',
    proof: withoutProof.moderation,
    handle: postCategory,
  },
  {
    method: 'POST',
    path: '/dashboard/categories/{id}/rename',
    access: 'administrator',
    proof: withoutProof.moderation,
    handle: postCategoryEdit,
  },
  {
    method: 'POST',
    path: '/dashboard/categories/{id}/delete',
    access: 'administrator',
    proof: withoutProof.moderation,
    handle: postCategoryDelete,
  },
  { method: 'GET', path: '/dashboard/tags', access: 'administrator', handle: showTags },
  {
    method: 'POST',
    path: '/dashboard/tags/rename',
    access: 'administrator',
    proof: withoutProof.moderation,
    handle: postTagEdit,
  },
  {
    method: 'POST',
    path: '/dashboard/tags/delete',
    access: 'administrator',
    proof: withoutProof.moderation,
    handle: postTagDelete,
  },
]
