import { type Static, Type } from 'typebox'
import { type Fault, faultOf } from '../../lib/faults.ts'
import { mostSharedFiles, type Share } from '../../media/index.ts'
import type { LooseBody } from '../endpoint.ts'
import {
  Closed,
  givenFaults,
  Id,
  orNull,
  readTime,
  Text,
  Time,
  Timestamp,
  Whole,
  writeTime,
} from '../fields.ts'
import { GuestPassword } from './albums.ts'

const mostCount = 1_000_000_000

export const ShareObject = Type.Object({
  id: Type.String({ description: 'Names the share in addresses of this API' }),
  name: Type.String({ description: 'For its owner; visitors do not see it' }),
  user: Type.Object(
    {
      id: Type.String({ description: 'The id of the user' }),
      username: Type.String({ description: 'The name' }),
    },
    { description: 'The user who created it' },
  ),
  is_suspended: Type.Boolean({
    description:
      'Whether it is 410 because the user who created it is banned or may no longer share the album or file',
  }),
  album_id: orNull(Type.String(), 'The album that it opens'),
  file_id: orNull(Type.String(), 'The file that it opens'),
  file_ids: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: mostSharedFiles,
      description:
        'Only of a share of several files: those that it opens now, in their order. Files in the trash are left out. ' +
        'The owner of some of them gets only those, and no `url`',
    }),
  ),
  url: orNull(Type.String(), 'The link for visitors; null if the signing secret has been changed since'),
  has_password: Type.Boolean({ description: 'Whether visitors are asked for a password' }),
  expires_at: orNull(Type.String(), 'When it ends; null: never'),
  max_views: orNull(Type.Integer(), 'View limit; null: no limit'),
  views: Type.Integer({ description: 'How often it was opened' }),
  allow_download: Type.Boolean({
    description: 'Whether visitors can download the uploaded bytes, or only smaller versions',
  }),
  allow_upload: Type.Boolean({
    description:
      'Whether visitors can add files to the album; without `allow_download` the share is upload-only',
  }),
  max_uploads: orNull(Type.Integer(), 'Upload limit; null: no limit'),
  uploads: Type.Integer({ description: 'How many files were uploaded' }),
  message: Type.String({ description: 'What the page says to those who are asked for files' }),
  asks_name: Type.Boolean({ description: 'Whether the page asks senders for their name' }),
  created_at: Timestamp('When it was created'),
})

export const writeShare =
  (urlOf: (share: Share) => string | undefined) =>
  (share: Share): Static<typeof ShareObject> => ({
    id: share.id,
    name: share.name,
    album_id: share.albumId ?? null,
    file_id: share.fileId ?? null,
    ...(share.fileIds && { file_ids: [...share.fileIds] }),
    user: { id: share.userId, username: share.username },
    is_suspended: share.isSuspended,
    url: urlOf(share) ?? null,
    has_password: share.passwordHash !== undefined,
    expires_at: writeTime(share.expiresAt),
    max_views: share.maxViews ?? null,
    views: share.views,
    allow_download: share.allowsDownload,
    allow_upload: share.allowsUpload,
    max_uploads: share.maxUploads ?? null,
    uploads: share.uploads,
    message: share.message,
    asks_name: share.asksName,
    created_at: writeTime(share.createdAt) ?? '',
  })

const mostName = 100
const mostMessage = 500
const Count = Whole(1, mostCount, 'A number')

const fields = {
  name: Type.Optional(Text({ most: mostName, description: `At most ${mostName} characters` })),
  expires_at: Type.Optional(
    orNull(
      Time('A time'),
      'When it expires, in the future; null: never; by default after the days of the setting ' +
        '`share_days`. RFC 3339, UTC',
    ),
  ),
  max_views: Type.Optional(orNull(Count, 'View limit; null: no limit')),
  password: Type.Optional(
    orNull(GuestPassword('A password'), '1 to 128 characters, never shown; null: none'),
  ),
  allow_download: Type.Optional(Type.Boolean({ description: 'True unless given' })),
  allow_upload: Type.Optional(Type.Boolean({ description: 'False unless given; for albums' })),
  max_uploads: Type.Optional(orNull(Count, 'Upload limit, only with `allow_upload`; null: no limit')),
  message: Type.Optional(
    Text({
      most: mostMessage,
      description: `What the page says to those who are asked for files, only with \`allow_upload\`; at most ${mostMessage} characters`,
    }),
  ),
  asks_name: Type.Optional(
    Type.Boolean({
      description: 'Asks senders for their name, only with `allow_upload`; false unless given',
    }),
  ),
}

export const NewShareBody = Type.Object(fields, Closed)
export const FilesShareBody = Type.Object(
  {
    file_ids: Type.Array(Id('A file'), {
      minItems: 1,
      maxItems: mostSharedFiles,
      description: `1 to ${mostSharedFiles} files in the order in which they are shown, each once`,
    }),
    ...fields,
  },
  Closed,
)
export const ShareEditBody = Type.Object(fields, { ...Closed, minProperties: 1 })

/** Rules of the list beyond its schema. */
export const sharedFilesFaults = ({ file_ids: ids }: LooseBody): Fault[] =>
  Array.isArray(ids) && ids.length <= mostSharedFiles
    ? ids.flatMap((id, index) =>
        ids.indexOf(id) < index ? [faultOf(`file_ids.${index}`, 'givenTwice')] : [],
      )
    : []

/** For forms of pages. */
export const shareFaults = (body: LooseBody): Fault[] => givenFaults(ShareEditBody, body)

/** Undefined fields were left out; null clears one. */
export function readShareFields(body: unknown) {
  const given = body as Static<typeof NewShareBody>
  const { name, expires_at: expiresAt, max_views: maxViews, password, max_uploads: maxUploads } = given
  return {
    name,
    maxViews,
    password,
    maxUploads,
    expiresAt: typeof expiresAt === 'string' ? readTime(expiresAt) : expiresAt,
    allowsDownload: given.allow_download,
    allowsUpload: given.allow_upload,
    message: given.message,
    asksName: given.asks_name,
  }
}

export const CollectedObject = Type.Object({
  id: Type.String({ description: 'The id of the file' }),
  filename: Type.String({ description: 'Its name' }),
  size: Type.Integer({ description: 'In bytes' }),
})
