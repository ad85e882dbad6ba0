/** Log-in by OpenID Connect. */
export const connect = {
  logInWith: (title: string) => `Log in with ${title}`,
  signUpWith: (title: string) => `Sign up with ${title}`,
  proveWith: (title: string) => `Log in again with ${title}`,
  proofElsewhere: 'For this, prove that it is you:',
  connections: 'Connected accounts',
  connectionsText: 'With an account that you connect you log in here without a password.',
  connectionProvider: 'Provider',
  connectionAccount: 'Account',
  notConnected: 'Not connected',
  providerIsOff: 'Switched off at the moment',
  connectIt: 'Connect',
  disconnectIt: 'Disconnect',
  disconnectText: 'It then logs you in no more.',
  lastWayIn: 'This is your only way to log in. Set a password or add a passkey first.',
  setPassword: 'Set a password',
  setPasswordText:
    'You log in by a connected account and have no password yet. With one you can log in without it.',
  connectFailed: 'You are not logged in',
  connectFailedHere: 'The account is not connected',
  connectEnded:
    'This log-in took more than ten minutes, was used already, or was begun in another browser. Begin again.',
  connectUnavailable: 'The provider cannot be reached at the moment. Try again later, or log in another way.',
  connectMistaken:
    'The provider did not answer as it should, so nothing was done. Try again, or log in another way.',
  connectRefused: 'The provider did not log you in, or you have stopped it there.',
  connectTaken:
    'This account of the provider is connected with another user here. Log out first to log in as that user.',
  connectOther: 'You have connected another account of this provider. Disconnect it first.',
  connectNoEntry: 'This account cannot log in here. Ask the people who run this site.',
  connectTooOld:
    'The provider knew you from before and did not ask you to log in again, so this proves nothing. Log out there and try again, or use your password.',
  connectTooMany: 'Too many log-ins were begun from your address within ten minutes. Try again later.',
  connectAnother: 'Log in another way',
  connectTitle: (title: string) => `Connect ${title}`,
  connectConfirm: ({ title, username }: { title: string; username: string }) =>
    `Connect this account of ${title} with your account ${username}? From then on it logs you in.`,
  connectYes: 'Connect the account',
  connectLogIn: 'Log in and connect it',
  connectNone: (title: string) => `No account here is connected with this account of ${title}.`,
  connectNoneText:
    'If you have an account here, log in as usual, and connect it: then you can log in either way.',
  connectUnverified: (title: string) =>
    `A new account needs a confirmed e-mail address, and ${title} has not confirmed yours. Confirm it there, and begin again.`,
  connectNew: (title: string) => `New account by ${title}`,
  connectNewText: 'One step is left: the name by which others know you here.',
  connectHaveOne: 'You have an account here already?',
}
