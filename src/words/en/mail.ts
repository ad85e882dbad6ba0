/** Every mail. */
export const mail = {
  signUpMailSubject: (site: string) => `Your account at ${site}`,
  signUpMail: ({ site, link }: MailWords) =>
    `Welcome to ${site}.\n\nOpen this link within 24 hours to choose a password and create your account:\n${link}\n\nIf you didn’t sign up, you can ignore this e-mail.\n`,
  knownMail: ({ site, username = '', link }: MailWords) =>
    `Someone, maybe you, tried to create an account at ${site} with this e-mail address. You already have an account: ${username}.\n\nForgot your password? Set a new one here:\n${link}\n\nIf this wasn’t you, you can ignore this e-mail.\n`,
  resetMailSubject: (site: string) => `New password for ${site}`,
  resetMail: ({ site, username = '', link }: MailWords) =>
    `We received a request for a new password for the account ${username} at ${site}.\n\nSet it here within 30 minutes. The link works once:\n${link}\n\nIf you didn’t request this, you can ignore this e-mail. Your password won’t change.\n`,

  addressMailSubject: (site: string) => `Confirm your e-mail address for ${site}`,
  addressMail: ({ site, username = '', link }: MailWords) =>
    `The account ${username} at ${site} wants to use this e-mail address.\n\nOpen this link within 24 hours to confirm it:\n${link}\n\nIf this isn’t your account, don’t open the link. You can ignore this e-mail.\n`,
  notices: {
    'password-changed': 'Your password was changed',
    'address-changed': 'Your e-mail address was changed',
    'passkey-added': 'A passkey was added to your account',
    'passkey-removed': 'A passkey was removed from your account',
    'provider-connected': 'An account from another service was connected to yours',
    'provider-disconnected': 'An account from another service was disconnected from yours',
    'second-step-on': 'Two-step verification was turned on',
    'second-step-off': 'Two-step verification was turned off',
  },
  noticeMail: ({ what, site, username = '', link }: MailWords & { what: string }) =>
    `${what}.\n\nThis is about your account ${username} at ${site}.\n\nIf this was you, you don’t need to do anything. If it wasn’t, set a new password now. This also logs you out everywhere:\n${link}\n`,
  addressNoticeMail: ({ what, site, username = '' }: Omit<MailWords, 'link'> & { what: string }) =>
    `${what}.\n\nThis is about your account ${username} at ${site}. From now on, we send e-mails about it to the new address.\n\nIf this was you, you don’t need to do anything. If it wasn’t, contact the administrators of ${site} right away.\n`,

  collectedMailSubject: 'New files for you',
  collectedMail: ({ site, link }: { site: string; link: string }) =>
    `Someone has added files to your album at ${site}.\n\nSee them here:\n${link}\n\nWe send you at most one of these e-mails an hour.\n`,
  reportMailSubject: 'A file was reported',
  reportMail: ({ site, reason, link }: { site: string; reason: string; link: string }) =>
    `A file at ${site} was reported: ${reason}.\n\nKeep or remove it here:\n${link}\n\nWe won’t e-mail you about further reports of this file, and we send you at most ten e-mails an hour.\n`,
  quotaMailSubject: 'Your site is close to a limit',
  quotaMail: ({ site, link, percent, limit, action }: QuotaMailWords) =>
    `${site} has used ${percent} of its ${quotasInMails[limit]}.\n\n${actionsInMails[action]}\n\nSee your usage here:\n${link}\n`,
}

/** What a mail names. */
export interface MailWords {
  site: string
  username?: string
  link: string
}

/** What a mail about a quota names. */
export interface QuotaMailWords {
  site: string
  link: string
  percent: string
  limit: QuotaName
  action: QuotaAction
}
type QuotaName = 'SERVICE_MAX_STORAGE' | 'SERVICE_MAX_TRAFFIC' | 'SERVICE_MAX_TRANSFORMS'
type QuotaAction = 'alert' | 'refuse' | 'suspend'

const quotasInMails: Record<QuotaName, string> = {
  SERVICE_MAX_STORAGE: 'storage',
  SERVICE_MAX_TRAFFIC: 'traffic for this month',
  SERVICE_MAX_TRANSFORMS: 'transforms for this month',
}
const actionsInMails: Record<QuotaAction, string> = {
  alert: 'Everything keeps working. Ask the operator of the site about a higher limit.',
  refuse:
    'When it is used up, uploads or downloads stop. Delete files, or ask the operator of the site for a higher limit.',
  suspend:
    'If it stays used up, the whole site is suspended. Delete files, or ask the operator of the site for a higher limit.',
}
