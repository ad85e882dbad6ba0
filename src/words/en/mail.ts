/** Every mail. */
export const mail = {
  signUpMailSubject: (site: string) => `Your account at ${site}`,
  signUpMail: ({ site, link }: MailWords) =>
    `Welcome to ${site}.\n\nOpen this link within 24 hours to choose a password and create your account:\n${link}\n\nIf you did not ask for it, do nothing: no account is created.\n`,
  knownMail: ({ site, username = '', link }: MailWords) =>
    `You, or another person, wanted to use this address for an account at ${site}. It has an account already: ${username}.\n\nIf you forgot your password, ask for a new one here:\n${link}\n\nIf this wasn't you, you can ignore this mail.\n`,
  resetMailSubject: (site: string) => `New password for ${site}`,
  resetMail: ({ site, username = '', link }: MailWords) =>
    `A new password was asked for the account ${username} at ${site}.\n\nSet it here within 30 minutes; the link works once:\n${link}\n\nIf you have not asked for it, do nothing: your password stays as it is.\n`,

  addressMailSubject: (site: string) => `Confirm your e-mail address for ${site}`,
  addressMail: ({ site, username = '', link }: MailWords) =>
    `The account ${username} at ${site} wants to use this e-mail address.\n\nOpen this link within 24 hours to confirm it:\n${link}\n\nIf this isn't your account, don't open the link. You can ignore this mail.\n`,
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

  reportMailSubject: 'A file was reported',
  reportMail: ({ site, reason, link }: { site: string; reason: string; link: string }) =>
    `A file at ${site} was reported: ${reason}.\n\nKeep or remove it here:\n${link}\n\nFurther reports of this file are not mailed, and at most ten mails an hour.\n`,
}

/** What a mail names. */
export interface MailWords {
  site: string
  username?: string
  link: string
}
