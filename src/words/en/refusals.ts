import type { Refusal } from '../../lib/refusal.ts'

type Params = Refusal['params']

/** What each limit counts, by its setting. */
const counted = {
  SERVICE_MAX_FILES: 'files',
  SERVICE_MAX_FILES_PER_USER: 'files for one account',
  SERVICE_MAX_ALBUMS: 'albums',
  SERVICE_MAX_TAGS: 'tags',
  SERVICE_MAX_CATEGORIES: 'categories',
  SERVICE_MAX_PAGES: 'pages',
  SERVICE_MAX_USERS: 'users',
  SERVICE_MAX_ADMINS: 'administrators',
  SERVICE_MAX_MANAGERS: 'managers',
  SERVICE_MAX_SHARES: 'shares',
  SERVICE_MAX_KEYS_PER_USER: 'keys',
  SERVICE_MAX_LOGIN_PROVIDERS: 'providers',
  SERVICE_MAX_OPEN_UPLOADS: 'unfinished uploads',
}

export type Counted = Readonly<Record<keyof typeof counted, string>>

/** `100 files`; the number alone for a limit that has no word. */
export const countOfLimit = (words: Counted, { name, limit }: Params): string =>
  [limit, (words as Readonly<Record<string, string>>)[String(name)]].join(' ').trim()

const texts = {
  'limit-reached': (params: Params) =>
    `The limit of ${countOfLimit(counted, params)} is reached. The operator of this site can raise it.`,
  'quota-reached': ({ name }: Params) =>
    name === 'SERVICE_MAX_STORAGE_PER_USER'
      ? 'The storage of this account is full. The operator of this site can raise the limit.'
      : 'The storage of this site is full. Its operator can raise the limit.',
  'rate-limited': () => 'You’re doing this too often. Wait a minute, then try again.',
  flood: ({ most }: Params) => `You’ve reached the limit of ${most} uploads. Try again later.`,
  'scope-missing': () => 'You don’t have permission to do this.',
  'form-outdated': () => 'This form is out of date. Reload the page and try again.',
  'form-too-big': () => 'This form is too large.',
  'version-differs': () => 'This was changed in the meantime. Look at it again, then repeat your change.',
  'link-ended': () => 'This link no longer works: it was used already, or it has expired. Ask for a new one.',
  'file-not-found': () => 'This file no longer exists.',
  'not-your-file': () => 'This file belongs to another user.',
  'removed-by-staff': () =>
    'An administrator removed this file, so you can’t restore it. You can delete it for good.',
  'file-in-trash': () => 'This file is in the trash. Restore it first.',
  'not-in-trash': () => 'This file isn’t in the trash.',
  'admins-only': () => 'Only administrators can change this.',
  'revision-not-found': () => 'This earlier version no longer exists.',
  'other-type': () => 'The new file must be of the same type as the old one.',
  'album-not-found': () => 'This album no longer exists.',
  'not-your-album': () => 'This album isn’t yours, or no longer exists. Choose another one.',
  'album-too-deep': () => 'Albums can be at most 8 levels deep.',
  'album-circle': () => 'An album can’t be moved into itself or one of its sub-albums.',
  'category-not-found': () => 'This category no longer exists.',
  'tag-not-found': () => 'This tag no longer exists.',
  'page-not-found': () => 'This page no longer exists.',
  'preset-not-found': () => 'This preset no longer exists.',
  'preset-exists': () => 'There is already a preset with this name.',
  'too-many-presets': ({ most }: Params) => `A site has at most ${most} presets. Delete one first.`,
  'share-not-found': () => 'This share no longer exists.',
  'share-stopped': () => 'This link no longer works. Its owner has stopped sharing.',
  'share-expired': () => 'This link has expired. Ask its owner for a new one.',
  'share-used-up': () => 'This link has reached its view limit. Ask its owner for a new one.',
  'uploads-used-up': () => 'This collection is full. It accepts no more files.',
  'user-not-found': () => 'This user no longer exists.',
  'user-has-files': () => 'This user has files. Choose what happens to them.',
  'role-too-low': () => 'You can’t change a user with this role.',
  'own-file': () => 'This is your own file. You can delete it.',
  'second-step-first': () =>
    'Set up two-step verification for your own account first, under Settings › Password and sessions.',
  'second-step-required': () => 'On this site, administrators and managers need two-step verification.',
  'may-not-upload': () => 'You can’t upload here.',
  'url-uploads-off': () => 'You can’t upload from a link here. Choose the file instead.',
  'empty-source': () => 'Choose a file first.',
  'file-too-big': ({ size }: Params) => `This file is too large. The limit is ${size}.`,
  duplicate: () => 'This file was uploaded already.',
  'not-media': () => 'This isn’t a picture or video of a type that this site accepts.',
  'kind-off': ({ kind }: Params) => `This site doesn’t accept ${kind} files.`,
  'not-decodable': () => 'This file is damaged, incomplete or too complex to process.',
  'too-many-pixels': () => 'This picture has too many pixels for this site.',
  'too-many-frames': () => 'This animation has too many frames for this site.',
  'url-refused': () => 'The file couldn’t be downloaded from this link.',
  'bad-form': () => 'This form couldn’t be read. Reload the page and try again.',
  'not-picture': () => 'Choose a picture, not a video. PNG, JPEG and WebP work best.',
  'logo-too-high': ({ width, height }: Params) =>
    `A logo can be at most twice as high as it is wide. This one is ${width} × ${height} pixels.`,
  'listing-off': () => 'This site has no public lists of files.',
  'members-only': () => 'Log in to see the lists on this site.',
  'last-operator': ({ username }: Params) =>
    `“${username}” is the last operator who can log in and change anything. Another operator must set up an account first.`,
  'own-account': () => 'You can’t delete your own account. Ask another operator.',
  'last-second-factor': () => 'This is your last second factor. Add a passkey or set up codes first.',
  'invite-ended': () => 'This link was already used or has expired. Ask an operator for a new one.',
  'move-stopped': ({ missing, damaged }: Params) =>
    `Nothing was moved, and both copies are kept. Restore these files from a backup or delete them, then move again.${missing ? ` Missing: ${missing}.` : ''}${damaged ? ` Damaged: ${damaged}.` : ''}`,
  'move-lost': () => 'Another server ended this move. Start it again.',
  'site-busy': () => 'Other servers kept writing to this site. Start the move again later.',
  'rows-differ': () => 'The copy differs from the original, so nothing was moved. Start the move again.',
  'work-lost': ({ times }: Params) =>
    `The server stopped ${times} times during this. Read the logs, then start it again.`,
  'tool-ended': () => 'The command stopped before it had finished. Nothing is lost: start it again.',
  'work-failed': () => 'Something went wrong. The log of the server has the reason.',
  'key-missing': () =>
    'This needs values that are stored encrypted, and no key of this installation decrypts them. Add the missing key again, or set all env values again with the command-line tool.',
  'viewers-only-see': () => 'Your role is viewer: you can see everything here, but change nothing.',
  'page-for-staff': () => 'This page is for administrators and managers of the site.',
  'page-for-admins': () => 'This page is for administrators of the site.',
  'site-suspended': () =>
    'This site has used up its storage or its traffic. Nothing was deleted. Users can still log in to download or delete their files.',
  'traffic-used-up': () =>
    'This site has sent as much as it may this month. Its files can be opened again from the first of the next month.',
  'site-disabled': () => 'The operator has disabled this site. Try again later.',
  'not-same-origin': () =>
    'This form wasn’t sent by a page of this site. Open the page again and send it from there.',
  'too-many-logins': () => 'Too many wrong passwords. Wait a few minutes, then try again.',
  'log-in-slowed': () => 'Too many wrong passwords for this account. Wait a moment, then try again.',
  'too-many-passwords': () => 'Too many wrong passwords from your network. Try again in 10 minutes.',
  'too-many-passwords-here': () => 'Too many wrong passwords for this link. Try again in an hour.',
  'too-many-mails': () => 'Too many requests from your network in the last hour. Try again later.',
  'too-many-connects': () => 'Too many log-ins from your network in the last 10 minutes. Try again later.',
  'too-many-reports': () => 'Too many reports from your network in the last hour. Try again later.',
  'already-reported': () => 'You, or someone on your network, already reported this file. We’ll look at it.',
  'already-connected': () =>
    'You’ve already connected another account from this provider. Disconnect it first.',
  'identity-taken': () => 'This account is connected to another user here.',
  'email-unverified': () => 'The provider hasn’t confirmed your e-mail address.',
  'connect-ended': () =>
    'This log-in expired, was already used, or was started in another browser. Start again.',
  'log-in-ended': () => 'This log-in has expired. Start again with your password.',
  'log-in-too-old': () =>
    'Your last log-in with the provider was more than 10 minutes ago. Log in there again.',
  'last-way-in': () => 'This is your only way to log in. Set a password or add a passkey first.',
  'provider-refused': () => 'The provider didn’t log you in.',
  'provider-mistaken': () => 'The provider sent an invalid response, so nothing was changed. Try again.',
  'provider-unavailable': () =>
    'We can’t reach the provider right now. Try again later, or log in another way.',
  'passkey-refused': () => 'This passkey wasn’t accepted. Try again.',
  'set-up-ended': () => 'This set-up expired after an hour. Start again.',
  'too-many-passkeys': () => 'You’ve reached the passkey limit. Remove one first.',
  'brand-picture-too-large': ({ size }: Params) => `The picture can be up to ${size}.`,
}

export type Refusals = { readonly [Code in keyof typeof texts]: (params: Params) => string }

/** Why something was refused, where no field is at fault. By the code of the refusal. */
const refusals: Refusals = texts

export const refused = { refusals }
