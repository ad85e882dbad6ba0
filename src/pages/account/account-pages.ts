import { noProof } from '../../http/requests/proof-rule.ts'
import type { PageRoute } from '../page-call.ts'
import { downloadApp, makeApp, showApps } from './apps/apps.ts'
import { postAddress, showAddress } from './confirm-address.ts'
import { isStrongKey, makeKey, makesStrongKey, revokeKey, rotateKey, showKeys } from './keys.ts'
import { logIn, logOut, showLogIn } from './log-in/log-in.ts'
import { prove, showProve } from './proof.ts'
import { askReset, setNewPassword, showNewPassword, showReset } from './reset-password.ts'
import { securityPages } from './security/security-pages.ts'
import { postExport, showExport } from './settings/export.ts'
import {
  cancelEmail,
  postAbout,
  postPicture,
  saveEmail,
  savePageKeys,
  showProfile,
} from './settings/profile.ts'
import { changePassword, endOthers, endSession, hasNoPassword, showSecurity } from './settings/security.ts'
import { cancelUpload, saveUploads, showUploads } from './settings/uploads.ts'
import { confirm, postSignUp, showConfirm, showSignUp } from './sign-up.ts'

const moved = (path: string, to: string): PageRoute => ({
  method: 'GET',
  path,
  access: 'anyone',
  handle: async () => ({ to, status: 301 }),
})

/** Addresses that people know from other programs, and one that password managers ask for. */
const redirects: readonly PageRoute[] = [
  moved('/account', '/settings'),
  moved('/settings/api', '/settings/keys'),
  moved('/account/password-forgot', '/password'),
  {
    method: 'GET',
    path: '/.well-known/change-password',
    access: 'anyone',
    handle: async () => ({ to: '/settings/security', status: 302 }),
  },
]

/** Log-in, sign-up and the settings of the reader. */
export const accountPages: readonly PageRoute[] = [
  { method: 'GET', path: '/login', access: 'anyone', handle: showLogIn },
  {
    method: 'POST',
    path: '/login',
    access: 'anyone',
    proof: noProof.logIn,
    handle: logIn,
    isForGuests: true,
  },
  {
    method: 'POST',
    path: '/logout',
    needsNoSecondStep: true,
    access: 'anyone',
    proof: noProof.fewerRights,
    handle: logOut,
  },
  { method: 'GET', path: '/prove', needsNoSecondStep: true, access: 'member', handle: showProve },
  {
    method: 'POST',
    path: '/prove',
    needsNoSecondStep: true,
    access: 'member',
    proof: noProof.password,
    handle: prove,
  },
  { method: 'GET', path: '/signup', access: 'anyone', handle: showSignUp },
  {
    method: 'POST',
    path: '/signup',
    access: 'anyone',
    proof: noProof.logIn,
    handle: postSignUp,
    isForGuests: true,
  },
  { method: 'GET', path: '/signup/confirm/{token}', access: 'anyone', handle: showConfirm },
  {
    method: 'POST',
    path: '/signup/confirm/{token}',
    access: 'anyone',
    proof: noProof.link,
    handle: confirm,
    isForGuests: true,
  },
  { method: 'GET', path: '/password', access: 'anyone', handle: showReset },
  {
    method: 'POST',
    path: '/password',
    access: 'anyone',
    proof: noProof.logIn,
    handle: askReset,
    isForGuests: true,
  },
  { method: 'GET', path: '/password/{token}', access: 'anyone', handle: showNewPassword },
  {
    method: 'POST',
    path: '/password/{token}',
    access: 'anyone',
    proof: noProof.link,
    handle: setNewPassword,
    isForGuests: true,
  },
  { method: 'GET', path: '/settings', access: 'member', handle: showProfile },
  { method: 'POST', path: '/settings/about', access: 'member', proof: noProof.ownThings, handle: postAbout },
  {
    method: 'POST',
    path: '/settings/picture',
    access: 'member',
    proof: noProof.ownThings,
    handle: postPicture,
    hasOwnBody: true,
  },
  { method: 'POST', path: '/settings/email', access: 'member', proof: { ask: 'here' }, handle: saveEmail },
  {
    method: 'POST',
    path: '/settings/email/cancel',
    access: 'member',
    proof: noProof.fewerRights,
    handle: cancelEmail,
  },
  { method: 'GET', path: '/email/confirm/{token}', access: 'anyone', handle: showAddress },
  {
    method: 'POST',
    path: '/email/confirm/{token}',
    access: 'anyone',
    proof: noProof.link,
    handle: postAddress,
    isForGuests: true,
  },
  {
    method: 'POST',
    path: '/settings/page-keys',
    access: 'member',
    proof: noProof.ownThings,
    handle: savePageKeys,
  },
  { method: 'GET', path: '/settings/uploads', access: 'member', handle: showUploads },
  {
    method: 'POST',
    path: '/settings/uploads',
    access: 'member',
    proof: noProof.ownThings,
    handle: saveUploads,
  },
  {
    method: 'POST',
    path: '/settings/uploads/{id}/cancel',
    access: 'member',
    proof: noProof.ownThings,
    handle: cancelUpload,
  },
  { method: 'GET', path: '/settings/security', access: 'member', handle: showSecurity },
  {
    method: 'POST',
    path: '/settings/security',
    access: 'member',
    proof: { ask: '/settings/security', isNeeded: hasNoPassword },
    handle: changePassword,
  },
  {
    method: 'POST',
    path: '/settings/sessions/end-others',
    access: 'member',
    proof: noProof.fewerRights,
    handle: endOthers,
  },
  {
    method: 'POST',
    path: '/settings/sessions/{id}/end',
    access: 'member',
    proof: noProof.fewerRights,
    handle: endSession,
  },
  { method: 'GET', path: '/settings/keys', access: 'member', handle: showKeys },
  {
    method: 'POST',
    path: '/settings/keys',
    access: 'member',
    proof: { ask: 'here', isNeeded: makesStrongKey },
    handle: makeKey,
  },
  {
    method: 'POST',
    path: '/settings/keys/{id}/rotate',
    access: 'member',
    proof: { ask: '/settings/keys', isNeeded: isStrongKey },
    handle: rotateKey,
  },
  {
    method: 'POST',
    path: '/settings/keys/{id}/revoke',
    access: 'member',
    proof: noProof.fewerRights,
    handle: revokeKey,
  },
  { method: 'GET', path: '/settings/apps', access: 'member', handle: showApps },
  {
    method: 'POST',
    path: '/settings/apps/{app}',
    access: 'member',
    proof: noProof.uploadKey,
    handle: makeApp,
  },
  {
    method: 'POST',
    path: '/settings/apps/{app}/file',
    access: 'member',
    proof: noProof.reading,
    handle: downloadApp,
  },
  ...securityPages,
  { method: 'GET', path: '/settings/export', access: 'member', handle: showExport },
  { method: 'POST', path: '/settings/export', access: 'member', proof: noProof.reading, handle: postExport },
  ...redirects,
]
