import { Type } from 'typebox'
import type { DescribedResponse } from '../http/endpoint.ts'
import { refused, siteRefusals } from '../http/openapi/described-refusal.ts'
import type { FileType } from '../http/requests/file-at.ts'
import { noProof } from '../http/requests/proof-rule.ts'
import { mostHeaderBytes, wrongContentType } from '../http/responses/errors.ts'
import { badEmbedding, passwordNeeded } from '../http/responses/file-errors.ts'
import type { ChangingSiteEndpoint, SiteEndpoint } from '../http/site-route.ts'
import { faultOf } from '../lib/faults.ts'
import { Refusal } from '../lib/refusal.ts'
import { fileNotFound, longestPassword } from '../media/index.ts'
import { getOembed } from './browse/viewer/oembed.ts'
import { getViewer } from './browse/viewer/view-file.ts'
import { deleteByLink, getDeletion, postDeletion } from './deletion/delete-link.ts'
import { postPassword } from './password/ask-password.ts'

const refusals: Record<number, DescribedResponse> = {
  ...siteRefusals,
  404: refused('There is no such file, or no site at this hostname.', fileNotFound()),
}

const html = (description: string): DescribedResponse => ({
  description,
  contentType: 'text/html',
  schema: Type.String(),
})

/** The words for a file of a type in a summary. */
const nouns: Record<FileType, string> = { image: 'picture', video: 'video' }

const ofPage = Type.Object({
  name: Type.String({
    maxLength: mostHeaderBytes,
    description: '`words.id`, or only the id; the words do not matter',
  }),
})

export const viewer = (type: FileType): SiteEndpoint => ({
  tag: 'Pages',
  summary: `Show the page of a ${nouns[type]}`,
  description: 'In an album with a password, the page asks for it first.',
  access: 'viewer',
  params: ofPage,
  responses: { 200: html('The page, or the question for the password.'), ...refusals },
  handle: getViewer(type),
})

export const passwordForm = (type: FileType): ChangingSiteEndpoint => ({
  tag: 'Pages',
  summary: `Send the password of a ${nouns[type]}’s album`,
  description:
    'Sent by the page that asks. A browser gets a refusal as that page again, other callers as JSON.',
  access: 'album-password',
  proof: noProof.link,
  params: ofPage,
  forms: {
    'application/x-www-form-urlencoded': Type.Object({
      password: Type.String({ maxLength: longestPassword, description: 'The password of the album' }),
    }),
  },
  responses: {
    303: {
      description: 'The password is right; every page of the album is open to this browser for a while.',
      headers: { Location: 'The path of the page', 'Set-Cookie': 'Holds the unlock token' },
    },
    ...refusals,
    403: refused(
      'The password is wrong, or the site is disabled.',
      new Refusal('forbidden', 'wrong-password', 'That is not the password of this album.'),
    ),
    415: refused(
      'The body is not a form.',
      wrongContentType('The body must be a form: Content-Type: application/x-www-form-urlencoded.'),
    ),
    429: refused(
      'Too many wrong passwords from one address.',
      new Refusal('too-many', 'too-many-passwords', 'Too many wrong passwords. Try again later.'),
    ),
  },
  handle: postPassword(type),
})

const OembedObject = Type.Object({
  version: Type.String({ description: '`1.0`' }),
  type: Type.String({ description: '`photo` or `video`' }),
  title: Type.String({ description: 'The title of the file' }),
  provider_name: Type.String({ description: 'The hostname of the site' }),
  provider_url: Type.String({ description: 'The URL of the site' }),
  width: Type.Integer({ description: 'Pixels' }),
  height: Type.Integer({ description: 'Pixels' }),
  url: Type.Optional(Type.String({ description: 'Of a photo: the URL of the picture' })),
  html: Type.Optional(Type.String({ description: 'Of a video: the markup of a player' })),
  thumbnail_url: Type.Optional(Type.String({ description: 'The URL of the thumb, if it fits' })),
  thumbnail_width: Type.Optional(Type.Integer({ description: 'Pixels' })),
  thumbnail_height: Type.Optional(Type.Integer({ description: 'Pixels' })),
})

const pixels = { minimum: 1, maximum: 999_999_999 }

export const oembed: SiteEndpoint = {
  tag: 'Pages',
  summary: 'Describe a viewer page for embedding',
  description: 'oEmbed 1.0, as defined at oembed.com.',
  access: 'viewer',
  query: Type.Object({
    url: Type.String({ maxLength: mostHeaderBytes, description: 'The URL of a viewer page of this site' }),
    maxwidth: Type.Optional(Type.Integer({ ...pixels, description: 'The largest width' })),
    maxheight: Type.Optional(Type.Integer({ ...pixels, description: 'The largest height' })),
    format: Type.Optional(Type.String({ enum: ['json'], description: '`json`' })),
  }),
  responses: {
    200: { description: 'How to show the file.', schema: OembedObject },
    400: refused('A parameter is missing or not valid.', badEmbedding(faultOf('format', 'onlyJson'))),
    401: refused('The file is in an album with a password.', passwordNeeded()),
    ...refusals,
  },
  handle: getOembed,
}

const ofDeleteLink = Type.Object({
  id: Type.String({ maxLength: 64, description: 'The id of the file' }),
  token: Type.String({ maxLength: 200, description: 'The secret of the link' }),
})

const deleted: DescribedResponse = {
  description: 'The file is deleted.',
  schema: Type.Object({
    status_code: Type.Integer({ description: '200' }),
    success: Type.Object({
      message: Type.String({ description: '`file deleted`' }),
      code: Type.Integer({ description: '200' }),
    }),
    status_txt: Type.String({ description: '`OK`' }),
  }),
}

export const deletionPage = (type: FileType): SiteEndpoint => ({
  tag: 'Deletion',
  summary: `Follow the delete link of a ${nouns[type]}`,
  description:
    'Deletes for a program. Browsers, link previewers, prefetches and caches get a page that asks first. ' +
    'Programs should send `DELETE`, which never asks.',
  access: 'link-token',
  params: ofDeleteLink,
  responses: {
    200: { ...deleted, alternatives: { 'text/html': 'A page that asks; nothing is deleted' } },
    ...refusals,
  },
  handle: getDeletion(type),
})

export const deletionForm = (type: FileType): ChangingSiteEndpoint => ({
  tag: 'Deletion',
  summary: `Confirm the deletion of a ${nouns[type]}`,
  description: 'Sent by the page that asks, or by a program.',
  access: 'link-token',
  proof: noProof.link,
  params: ofDeleteLink,
  responses: {
    200: deleted,
    303: { description: 'The file is deleted, for a browser.', headers: { Location: 'The front page' } },
    ...refusals,
  },
  handle: postDeletion(type),
})

export const deletion = (type: FileType): ChangingSiteEndpoint => ({
  tag: 'Deletion',
  summary: `Delete a ${nouns[type]} by its link`,
  access: 'link-token',
  proof: noProof.link,
  params: ofDeleteLink,
  responses: { 200: deleted, ...refusals },
  handle: deleteByLink(type),
})
