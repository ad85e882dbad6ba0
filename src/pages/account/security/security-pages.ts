import { noProof } from '../../../http/requests/proof-rule.ts'
import type { PageRoute } from '../../page-call.ts'
import { sendCode, showCode } from '../log-in/code.ts'
import { showBack, showConnect } from '../log-in/connect/connect.ts'
import { postLink, postSignUpByProvider, showAccount } from '../log-in/connect/connect-account.ts'
import { disconnect } from '../settings/security.ts'
import {
  logInByPasskey,
  makePasskey,
  postCreation,
  postRequest,
  proveByPasskey,
  removePasskey,
  renamePasskey,
} from './passkeys.ts'
import { renewCodes, showTotp, switchOffTotp, switchOnTotp } from './totp.ts'

/** The second step, passkeys and accounts at login providers. */
export const securityPages: readonly PageRoute[] = [
  { method: 'GET', path: '/login/code', access: 'anyone', handle: showCode },
  {
    method: 'POST',
    path: '/login/code',
    access: 'anyone',
    proof: noProof.logIn,
    handle: sendCode,
    isForGuests: true,
  },
  {
    method: 'GET',
    path: '/settings/security/totp',
    needsNoSecondStep: true,
    access: 'member',
    proof: { ask: '/settings/security/totp' },
    handle: showTotp,
  },
  {
    method: 'POST',
    path: '/settings/security/totp',
    needsNoSecondStep: true,
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
    needsNoSecondStep: true,
    access: 'anyone',
    proof: noProof.logIn,
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
    proof: noProof.logIn,
    handle: logInByPasskey,
    isForGuests: true,
  },
  {
    method: 'POST',
    path: '/prove/passkey',
    needsNoSecondStep: true,
    access: 'member',
    proof: noProof.password,
    handle: proveByPasskey,
  },
  {
    method: 'POST',
    path: '/settings/security/passkeys',
    access: 'member',
    proof: { ask: '/settings/security?passkey={name}' },
    handle: makePasskey,
  },
  {
    method: 'POST',
    path: '/settings/security/passkeys/{id}/remove',
    access: 'member',
    proof: { ask: '/settings/security' },
    handle: removePasskey,
  },
  {
    method: 'GET',
    path: '/connect/{provider}',
    needsNoSecondStep: true,
    access: 'anyone',
    handle: showConnect,
  },
  {
    method: 'GET',
    path: '/connect/{provider}/back',
    needsNoSecondStep: true,
    access: 'anyone',
    handle: showBack,
  },
  { method: 'GET', path: '/connect/{provider}/account', access: 'anyone', handle: showAccount },
  {
    method: 'POST',
    path: '/connect/{provider}/link',
    access: 'member',
    proof: { ask: '/connect/{provider}/account' },
    handle: postLink,
  },
  {
    method: 'POST',
    path: '/connect/{provider}/signup',
    access: 'anyone',
    proof: noProof.logIn,
    handle: postSignUpByProvider,
    isForGuests: true,
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
    proof: noProof.ownThings,
    handle: renamePasskey,
  },
]
