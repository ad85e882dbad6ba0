import { withoutProof } from '../../requests/proof-rule.ts'
import type { PageRoute } from '../page-call.ts'
import { downloadApp, makeApp, showApps } from './apps/apps.ts'
import { postAddress, showAddress } from './confirm-address.ts'
import { isStrongKey, makeKey, makesStrongKey, revokeKey, rotateKey, showKeys } from './keys/keys.ts'
import { sendCode, showCode } from './log-in/code.ts'
import { showBack, showConnect } from './log-in/connect/connect.ts'
import { postLink, postSignUpByProvider, showAccount } from './log-in/connect/connect-account.ts'
import { disconnect } from './log-in/connect/connections.ts'
import { logIn, showLogIn } from './log-in/log-in.ts'
import { logOut } from './log-in/log-out.ts'
import { prove, showProve } from './log-in/prove.ts'
import { askReset, setNewPassword, showNewPassword, showReset } from './password/reset.ts'
import { redirects } from './redirects.ts'
import {
  logInByPasskey,
  makePasskey,
  postCreation,
  postRequest,
  proveByPasskey,
  removePasskey,
  renamePasskey,
} from './security/passkeys.ts'
import { renewCodes, showTotp, switchOffTotp, switchOnTotp } from './security/totp.ts'
import { postExport, showExport } from './settings/export.ts'
import { cancelEmail, saveEmail, savePageKeys, showProfile } from './settings/profile.ts'
import { changePassword, endOthers, endSession, hasNoPassword, showSecurity } from './settings/security.ts'
import { saveUploads, showUploads } from './settings/uploads.ts'
import { confirm, postSignUp, showConfirm, showSignUp } from './sign-up/sign-up.ts'

/** Log-in, sign-up and the settings of the reader. */
export const accountPages: readonly PageRoute[] = [
  { method: 'GET', path: '/login', access: 'anyone', handle: showLogIn },
  {
    method: 'POST',
    path: '/login',
    access: 'anyone',
    proof: withoutProof.logIn,
    handle: logIn,
    isForGuests: true,
  },
  { method: 'POST', path: '/logout', access: 'anyone', proof: withoutProof.fewerRights, handle: logOut },
  { method: 'GET', path: '/prove', access: 'member', handle: showProve },
  { method: 'POST', path: '/prove', access: 'member', proof: withoutProof.password, handle: prove },
  { method: 'GET', path: '/signup', access: 'anyone', handle: showSignUp },
  {
    method: 'POST',
    path: '/signup',
    access: 'anyone',
    proof: withoutProof.logIn,
    handle: postSignUp,
    isForGuests: true,
  },
  { method: 'GET', path: '/signup/confirm/{token}', access: 'anyone', handle: showConfirm },
  {
    method: 'POST',
    path: '/signup/confirm/{token}',
    access: 'anyone',
    proof: withoutProof.link,
    handle: confirm,
    isForGuests: true,
  },
  { method: 'GET', path: '/password', access: 'anyone', handle: showReset },
  {
    method: 'POST',
    path: '/password',
    access: 'anyone',
    proof: withoutProof.logIn,
    handle: askReset,
    isForGuests: true,
  },
  { method: 'GET', path: '/password/{token}', access: 'anyone', handle: showNewPassword },
  {
    method: 'POST',
    path: '/password/{token}',
    access: 'anyone',
    proof: withoutProof.link,
    handle: setNewPassword,
    isForGuests: true,
  },
  { method: 'GET', path: '/settings', access: 'member', handle: showProfile },
  { method: 'POST', path: '/settings/email', access: 'member', proof: { ask: 'here' }, handle: saveEmail },
  {
    method: 'POST',
    path: '/settings/email/cancel',
    access: 'member',
    proof: withoutProof.fewerRights,
    handle: cancelEmail,
  },
  { method: 'GET', path: '/email/confirm/{token}', access: 'anyone', handle: showAddress },
  {
    method: 'POST',
    path: '/email/confirm/{token}',
    access: 'anyone',
    proof: withoutProof.link,
    handle: postAddress,
    isForGuests: true,
  },
  {
    method: 'POST',
    path: '/settings/page-keys',
    access: 'member',
    proof: withoutProof.ownThings,
    handle: savePageKeys,
  },
  { method: 'GET', path: '/settings/uploads', access: 'member', handle: showUploads },
  {
    method: 'POST',
    path: '/settings/uploads',
    access: 'member',
    proof: withoutProof.ownThings,
    handle: saveUploads,
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
    proof: withoutProof.fewerRights,
    handle: endOthers,
  },
  {
    method: 'POST',
    path: '/settings/sessions/{id}/end',
    access: 'member',
    proof: withoutProof.fewerRights,
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
    proof: withoutProof.fewerRights,
    handle: revokeKey,
  },
  { method: 'GET', path: '/settings/apps', access: 'member', handle: showApps },
  {
    method: 'POST',
    path: '/settings/apps/{app}',
    access: 'member',
    proof: withoutProof.uploadKey,
    handle: makeApp,
  },
  {
    method: 'POST',
    path: '/settings/apps/{app}/file',
    access: 'member',
    proof: withoutProof.reading,
    handle: downloadApp,
  },
  { method: 'GET', path: '/login/code', access: 'anyone', handle: showCode },
  {
    method: 'POST',
    path: '/login/code',
    access: 'anyone',
    proof: withoutProof.logIn,
    handle: sendCode,
    isForGuests: true,
  },
  {
    method: 'GET',
    path: '/settings/security/totp',
    access: 'member',
    proof: { ask: '/settings/security/totp' },
    handle: showTotp,
  },
  {
    method: 'POST',
    path: '/settings/security/totp',
    access: 'member',
    proof: { ask: '/settings/security/totp' },
    handle: switchOnTotp,
  },
  {
    method: 'POST',
    path: '/settings/security/totp/codes',
    access: 'member',
    proof: { ask: '/settings/security/totp' },
    handle: renewCodes,
  },
  {
    method: 'POST',
    path: '/settings/security/totp/off',
    access: 'member',
    proof: { ask: '/settings/security/totp' },
    handle: switchOffTotp,
  },
  {
    method: 'POST',
    path: '/-/passkeys/request',
    access: 'anyone',
    proof: withoutProof.logIn,
    handle: postRequest,
    isForGuests: true,
  },
  {
    method: 'POST',
    path: '/-/passkeys/creation',
    access: 'member',
    proof: { ask: 'script' },
    handle: postCreation,
  },
  {
    method: 'POST',
    path: '/login/passkey',
    access: 'anyone',
    proof: withoutProof.logIn,
    handle: logInByPasskey,
    isForGuests: true,
  },
  {
    method: 'POST',
    path: '/prove/passkey',
    access: 'member',
    proof: withoutProof.password,
    handle: proveByPasskey,
  },
  {
    method: 'POST',
    path: '/settings/security/passkeys',
    access: 'member',
    proof: { ask: '/settings/security' },
    handle: makePasskey,
  },
  {
    method: 'POST',
    path: '/settings/security/passkeys/{id}/remove',
    access: 'member',
    proof: { ask: '/settings/security' },
    handle: removePasskey,
  },
  { method: 'GET', path: '/connect/{provider}', access: 'anyone', handle: showConnect },
  { method: 'GET', path: '/connect/{provider}/back', access: 'anyone', handle: showBack },
  { method: 'GET', path: '/connect/{provider}/account', access: 'anyone', handle: showAccount },
  {
    method: 'POST',
    path: '/connect/{provider}/link',
    access: 'member',
    proof: { ask: '/connect/{provider}/account' },
    handle: postLink,
  },
  {
    ...{ method: 'POST', path: '/connect/{provider}/signup', access: 'anyone' },
    ...{ proof: withoutProof.logIn, handle: postSignUpByProvider, isForGuests: true },
  },
  {
    method: 'POST',
    path: '/settings/security/connections/{id}/end',
    access: 'member',
    proof: { ask: '/settings/security' },
    handle: disconnect,
  },
  {
    method: 'POST',
    path: '/settings/security/passkeys/{id}/rename',
    access: 'member',
    proof: withoutProof.ownThings,
    handle: renamePasskey,
  },
  { method: 'GET', path: '/settings/export', access: 'member', handle: showExport },
  {
    method: 'POST',
    path: '/settings/export',
    access: 'member',
    proof: withoutProof.reading,
    handle: postExport,
  },
  ...redirects,
]
