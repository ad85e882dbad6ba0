import type { MailWords } from './account.ts'

/** Addresses that wait to be confirmed, and mails about changes of an account. */
export const mail = {
  emailUnconfirmed: 'You have not confirmed this address yet.',
  emailPending: (email: string) => `Confirm ${email}: we sent you a link. It works for 24 hours.`,
  emailPendingText: 'Until then, your account keeps the address it has now.',
  emailResend: 'Send the link again',
  emailSendLink: 'Send a confirmation link',
  emailCancel: 'Cancel the change',
  noEmail: 'No address yet',
  addressMailSubject: (site: string) => `Confirm your e-mail address for ${site}`,
  addressMail: ({ site, username = '', link }: MailWords) =>
    `The account ${username} at ${site} wants to use this e-mail address.\n\nOpen this link within 24 hours to confirm it:\n${link}\n\nIf this isn't your account, don't open the link. You can ignore this mail.\n`,
  addressTitle: 'Confirm your e-mail address',
  addressText: ({ email, username }: { email: string; username: string }) =>
    `Use ${email} for the account ${username}?`,
  addressYes: 'Confirm the address',
  addressDone: 'Your e-mail address is confirmed. You can log in now.',
  notices: {
    'password-changed': 'Your password was changed',
    'address-changed': 'Your e-mail address was changed',
    'passkey-added': 'A passkey was added to your account',
    'passkey-removed': 'A passkey was removed from your account',
    'provider-connected': 'An account of another service was connected to yours',
    'provider-disconnected': 'An account of another service was disconnected from yours',
    'second-step-on': 'The second step at log-in was turned on',
    'second-step-off': 'The second step at log-in was turned off',
  },
  noticeMail: ({ what, site, username = '', link }: MailWords & { what: string }) =>
    `${what}.\n\nThis is about the account ${username} at ${site}.\n\nIf this was you, there is nothing to do. If not, set a new password now, which also ends all sessions:\n${link}\n`,
  addressNoticeMail: ({ what, site, username = '' }: Omit<MailWords, 'link'> & { what: string }) =>
    `${what}.\n\nThis is about the account ${username} at ${site}. Mails about it now go to the new address.\n\nIf this was you, there is nothing to do. If not, ask the administrators of ${site} for help right away.\n`,
}
