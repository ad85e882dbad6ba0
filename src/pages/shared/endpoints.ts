import { Type } from 'typebox'
import type { DescribedResponse } from '../../http/endpoint.ts'
import { refused, siteRefusals } from '../../http/openapi/described-refusal.ts'
import { noProof } from '../../http/requests/proof-rule.ts'
import { wrongContentType } from '../../http/responses/errors.ts'
import type { ChangingSiteEndpoint, SiteEndpoint } from '../../http/site-route.ts'
import { trafficUsedUp } from '../../http/suspended-sites.ts'
import { CollectedObject } from '../../http/wire/shares.ts'
import {
  fileNotFound,
  longestFileText,
  longestPassword,
  shareEnded,
  sharePasswordNeeded,
  unknownShare,
} from '../../media/index.ts'
import { getSharedFile, getSharePage, getShareZip } from './get-share.ts'
import { postShareForm, postSharePassword, postShareRemoval } from './post-share.ts'

const ofShare = Type.Object({
  token: Type.String({ maxLength: 200, description: 'The secret of the share' }),
})

const refusals: Record<number, DescribedResponse> = {
  ...siteRefusals,
  404: refused('There is no such share, or no site at this hostname.', unknownShare()),
  410: refused('The share was revoked, suspended or used up, or has expired.', shareEnded()),
}

export const sharePage: SiteEndpoint = {
  tag: 'Pages',
  summary: 'Show the page of a share',
  description:
    'Uses one view and sets a cookie for an hour. `HEAD`, prefetches, link previewers and ' +
    'crawlers use no view; a prefetch sees only the title. A share with a password asks for it ' +
    'first.',
  access: 'link-token',
  params: ofShare,
  responses: {
    200: {
      description: 'The page, or the question for the password.',
      contentType: 'text/html',
      schema: Type.String(),
    },
    ...refusals,
  },
  handle: getSharePage,
}

const ofSharedFile = Type.Object({
  ...ofShare.properties,
  id: Type.String({ maxLength: 64, description: 'The id of a file of the share' }),
})

export const sharedFilePage: SiteEndpoint = {
  ...sharePage,
  summary: 'Show a file of a share',
  description:
    'The viewer of the gallery. Without `allow_download` it has smaller pictures in place of ' +
    'the file. It uses no view of a browser that has opened the share within the last hour.',
  params: ofSharedFile,
  responses: {
    ...sharePage.responses,
    404: refused('There is no such share, or it has no such file.', unknownShare()),
  },
  handle: getSharedFile,
}

export const shareZip: SiteEndpoint = {
  tag: 'Pages',
  summary: 'Download all files of a share',
  description: 'For shares with `allow_download`. A share with a password asks for it first.',
  access: 'link-token',
  params: ofShare,
  responses: {
    200: {
      description: 'A zip of the files, or the page that asks for the password.',
      contentType: 'application/zip',
      schema: Type.String({ format: 'binary' }),
    },
    ...refusals,
    429: refused('The traffic of the month is used up (`SERVICE_MAX_TRAFFIC`).', trafficUsedUp(new Date(0))),
  },
  handle: getShareZip,
}

export const sharePasswordForm: ChangingSiteEndpoint = {
  tag: 'Pages',
  summary: 'Send the password of a share',
  description:
    'Sent by the page that asks. A browser gets a refusal as that page again, other callers as JSON.',
  access: 'link-token',
  proof: noProof.link,
  params: ofShare,
  forms: {
    'application/x-www-form-urlencoded': Type.Object({
      password: Type.String({ maxLength: longestPassword, description: 'The password of the share' }),
    }),
  },
  responses: {
    303: {
      description: 'The password is right; the share is open to this browser for an hour.',
      headers: { Location: 'The path of the page', 'Set-Cookie': 'Holds the pass' },
    },
    ...refusals,
    403: refused('The password is wrong, or the site is disabled.', sharePasswordNeeded()),
    415: refused(
      'The body is not a form.',
      wrongContentType('The body must be a form: Content-Type: application/x-www-form-urlencoded.'),
    ),
  },
  handle: postSharePassword,
}

export const sharedFilePasswordForm: ChangingSiteEndpoint = {
  ...sharePasswordForm,
  summary: 'Send the password of a share on the page of a file',
  params: ofSharedFile,
}

export const shareUploadForm: ChangingSiteEndpoint = {
  tag: 'Pages',
  summary: 'Add a file to a shared album',
  description:
    'Sent by the page of a collection link; programs use `POST /api/5/shares/{token}/files`. ' +
    'With `Accept: application/json` the ' +
    'answer is that of the API.',
  access: 'link-token',
  proof: noProof.link,
  params: ofShare,
  forms: {
    'multipart/form-data': Type.Object({
      source: Type.String({ description: 'The file', contentMediaType: 'application/octet-stream' }),
      contributor: Type.Optional(
        Type.String({ maxLength: longestFileText.contributor, description: 'The name of the sender' }),
      ),
    }),
    'application/octet-stream': Type.String({
      format: 'binary',
      description: 'The file itself, from the queue of the page',
    }),
  },
  responses: {
    201: {
      description: 'The file is stored, for the queue of the page.',
      contentType: 'application/json',
      schema: Type.Object({
        ...CollectedObject.properties,
        removal: Type.String({ description: 'Proves that this page has sent the file' }),
      }),
    },
    303: {
      description: 'The file is stored.',
      headers: { Location: 'The path of the page', 'Set-Cookie': 'Lets the page take the file back' },
    },
    ...refusals,
    403: refused('The share does not allow uploads, or needs its password.', sharePasswordNeeded()),
  },
  handle: postShareForm,
}

export const shareRemovalForm: ChangingSiteEndpoint = {
  tag: 'Pages',
  summary: 'Take back a file that was sent by a share',
  description:
    'Sent by the page that has sent the file, within a day. The file is deleted permanently and ' +
    'counts towards the share no more.',
  access: 'link-token',
  proof: noProof.link,
  params: Type.Object({
    ...ofShare.properties,
    id: Type.String({ maxLength: 64, description: 'The id of the file' }),
  }),
  forms: {
    'application/x-www-form-urlencoded': Type.Object({
      proof: Type.String({ maxLength: 100, description: '`removal` of the answer to the file' }),
    }),
  },
  responses: {
    204: { description: 'The file is deleted.' },
    303: {
      description: 'The file is deleted; for browsers without script.',
      headers: { Location: 'The path of the page' },
    },
    ...refusals,
    404: refused('There is no such share or file, or the proof is wrong.', fileNotFound()),
    415: refused(
      'The body is not a form.',
      wrongContentType('The body must be a form: Content-Type: application/x-www-form-urlencoded.'),
    ),
  },
  handle: postShareRemoval,
}
