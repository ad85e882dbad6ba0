import type { ConsoleRoute } from '../console-call.ts'
import { postPasskeyCreation, setUp, setUpByPasskey, showInvite } from './invite.ts'
import { logIn, logInByPasskey, logOut, postPasskeyRequest, sendCode, showCode, showLogIn } from './log-in.ts'
import { prove, proveByPasskey, showProve } from './prove.ts'

/** Before a session: its log-in, and the link that sets an account up; and the proof that a session asks for again. */
export const logInPages: readonly ConsoleRoute[] = [
  { method: 'GET', path: 'login', access: 'anyone', handle: showLogIn },
  { method: 'POST', path: 'login', access: 'anyone', isForGuests: true, handle: logIn },
  { method: 'GET', path: 'login/code', access: 'anyone', handle: showCode },
  { method: 'POST', path: 'login/code', access: 'anyone', isForGuests: true, handle: sendCode },
  { method: 'POST', path: 'login/passkey', access: 'anyone', isForGuests: true, handle: logInByPasskey },
  {
    method: 'POST',
    path: '-/passkeys/request',
    access: 'anyone',
    isForGuests: true,
    handle: postPasskeyRequest,
  },
  { method: 'POST', path: 'logout', access: 'anyone', handle: logOut },
  { method: 'GET', path: 'invite/{token}', access: 'anyone', handle: showInvite },
  { method: 'POST', path: 'invite/{token}', access: 'anyone', isForGuests: true, handle: setUp },
  {
    method: 'POST',
    path: 'invite/{token}/passkey',
    access: 'anyone',
    isForGuests: true,
    handle: setUpByPasskey,
  },
  {
    method: 'POST',
    path: 'invite/{token}/passkeys/creation',
    access: 'anyone',
    isForGuests: true,
    handle: postPasskeyCreation,
  },
  { method: 'GET', path: 'prove', handle: showProve },
  { method: 'POST', path: 'prove', access: 'viewer', handle: prove },
  { method: 'POST', path: 'prove/passkey', access: 'viewer', handle: proveByPasskey },
]
