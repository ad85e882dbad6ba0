import { noProof } from '../../http/requests/proof-rule.ts'
import type { PageRoute } from '../page-call.ts'
import { getWithheldPicture } from '../pictures.ts'
import { postFiles, postUndo } from './files/changed-files.ts'
import { showFiles } from './files/files-page.ts'
import { postModeration, showQueue } from './files/queue-page.ts'
import { showAlbums } from './labels/albums.ts'
import { postCategory, postCategoryDelete, postCategoryEdit, showCategories } from './labels/categories.ts'
import { postTagDelete, postTagEdit, showTags } from './labels/tags.ts'
import { showOverview } from './overview.ts'
import { showReports } from './reports.ts'
import { postDeleteUser, showDeleteUser } from './users/delete-user.ts'
import { postBan, postPassword, postResetTotp, postRole, showUser } from './users/edit-user.ts'
import { postNewUser, showNewUser } from './users/new-user.ts'
import { showUsers } from './users/users-page.ts'

/** The dashboard: administrators open all of it, managers what is for `staff`. */
export const dashboardPages: readonly PageRoute[] = [
  { method: 'GET', path: '/dashboard', access: 'see-statistics', handle: showOverview },
  { method: 'GET', path: '/dashboard/queue', access: 'moderate-files', handle: showQueue },
  {
    method: 'POST',
    path: '/dashboard/queue',
    access: 'moderate-files',
    proof: noProof.moderation,
    handle: postFiles('/dashboard/queue'),
  },
  {
    method: 'POST',
    path: '/dashboard/queue/undo',
    access: 'moderate-files',
    proof: noProof.moderation,
    handle: postUndo('/dashboard/queue'),
  },
  {
    method: 'POST',
    path: '/dashboard/queue/moderation',
    access: 'change-settings',
    proof: { ask: '/dashboard/queue' },
    handle: postModeration,
  },
  { method: 'GET', path: '/dashboard/reports', access: 'moderate-files', handle: showReports },
  {
    method: 'POST',
    path: '/dashboard/reports',
    access: 'moderate-files',
    proof: noProof.moderation,
    handle: postFiles('/dashboard/reports'),
  },
  {
    method: 'POST',
    path: '/dashboard/reports/undo',
    access: 'moderate-files',
    proof: noProof.moderation,
    handle: postUndo('/dashboard/reports'),
  },
  { method: 'GET', path: '/dashboard/files', access: 'moderate-files', handle: showFiles },
  {
    method: 'POST',
    path: '/dashboard/files',
    access: 'moderate-files',
    proof: noProof.moderation,
    handle: postFiles('/dashboard/files'),
  },
  {
    method: 'POST',
    path: '/dashboard/files/undo',
    access: 'moderate-files',
    proof: noProof.moderation,
    handle: postUndo('/dashboard/files'),
  },
  {
    method: 'GET',
    path: '/dashboard/files/{id}/picture',
    access: 'moderate-files',
    handle: getWithheldPicture,
    isAsset: true,
  },
  { method: 'GET', path: '/dashboard/users', access: 'ban-users', handle: showUsers },
  { method: 'GET', path: '/dashboard/users/new', access: 'manage-users', handle: showNewUser },
  {
    method: 'POST',
    path: '/dashboard/users/new',
    access: 'manage-users',
    proof: { ask: 'here' },
    handle: postNewUser,
  },
  { method: 'GET', path: '/dashboard/users/{id}', access: 'ban-users', handle: showUser },
  {
    method: 'POST',
    path: '/dashboard/users/{id}/role',
    access: 'manage-users',
    proof: { ask: '/dashboard/users/{id}' },
    handle: postRole,
  },
  {
    method: 'POST',
    path: '/dashboard/users/{id}/ban',
    access: 'ban-users',
    proof: { ask: '/dashboard/users/{id}' },
    handle: postBan,
  },
  {
    method: 'POST',
    path: '/dashboard/users/{id}/password',
    access: 'manage-users',
    proof: { ask: '/dashboard/users/{id}' },
    handle: postPassword,
  },
  {
    method: 'POST',
    path: '/dashboard/users/{id}/second-step',
    access: 'manage-users',
    proof: { ask: '/dashboard/users/{id}' },
    handle: postResetTotp,
  },
  { method: 'GET', path: '/dashboard/users/{id}/delete', access: 'manage-users', handle: showDeleteUser },
  {
    method: 'POST',
    path: '/dashboard/users/{id}/delete',
    access: 'manage-users',
    proof: { ask: 'here' },
    handle: postDeleteUser,
  },
  { method: 'GET', path: '/dashboard/albums', access: 'see-albums', handle: showAlbums },
  { method: 'GET', path: '/dashboard/categories', access: 'manage-categories', handle: showCategories },
  {
    method: 'POST',
    path: '/dashboard/categories',
    access: 'manage-categories',
    proof: noProof.moderation,
    handle: postCategory,
  },
  {
    method: 'POST',
    path: '/dashboard/categories/{id}/rename',
    access: 'manage-categories',
    proof: noProof.moderation,
    handle: postCategoryEdit,
  },
  {
    method: 'POST',
    path: '/dashboard/categories/{id}/delete',
    access: 'manage-categories',
    proof: noProof.moderation,
    handle: postCategoryDelete,
  },
  { method: 'GET', path: '/dashboard/tags', access: 'manage-tags', handle: showTags },
  {
    method: 'POST',
    path: '/dashboard/tags/rename',
    access: 'manage-tags',
    proof: noProof.moderation,
    handle: postTagEdit,
  },
  {
    method: 'POST',
    path: '/dashboard/tags/delete',
    access: 'manage-tags',
    proof: noProof.moderation,
    handle: postTagDelete,
  },
]
