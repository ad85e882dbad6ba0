import { Type } from 'typebox'
import { fileNameOf, type ShownFile, type StoredFile, type StoredVariant } from '../../media/index.ts'
import type { FileAddresses } from '../addresses/file-addresses.ts'
import { srcsetOf } from '../addresses/picture-sources.ts'
import { orNull, Timestamp, writeTime } from '../fields.ts'

const VersionObject = Type.Object({
  url: Type.String({ description: 'The address of its bytes' }),
  width: Type.Integer({ description: 'In pixels' }),
  height: Type.Integer({ description: 'In pixels' }),
  size: Type.Integer({ description: 'In bytes' }),
})

const address = (what: string) => orNull(Type.String(), `${what}; null in the trash`)

export const FileObject = Type.Object({
  id: Type.String({ description: 'Names the file in addresses' }),
  type: Type.String({ description: '`image` or `video`' }),
  kind: Type.String({ description: 'As in `kinds` of `GET /api/5/me`' }),
  mime: Type.String({ description: 'The content type of the bytes' }),
  filename: Type.String({ description: 'The name in its address, with extension' }),
  title: orNull(Type.String(), 'At most 100 characters'),
  description: orNull(Type.String(), 'At most 5000 characters'),
  tags: Type.Array(Type.String(), { description: 'Names of tags, in order' }),
  category_id: orNull(Type.Integer(), 'The category'),
  album_id: orNull(Type.String(), 'The album that it is in'),
  contributor: orNull(
    Type.String(),
    'Who sent it by a request for files, as they say; null for callers who may not change it',
  ),
  user: orNull(
    Type.Object({
      id: Type.String({ description: 'The id of the user' }),
      username: Type.String({ description: 'The name' }),
    }),
    'The owner; null for a file of a guest',
  ),
  size: Type.Integer({ description: 'In bytes' }),
  width: Type.Integer({ description: 'In pixels' }),
  height: Type.Integer({ description: 'In pixels' }),
  duration: orNull(Type.Integer(), 'In seconds; null for pictures'),
  is_animated: Type.Boolean({ description: 'A picture of several frames' }),
  is_360: Type.Boolean({ description: 'A panorama of all directions' }),
  is_nsfw: Type.Boolean({ description: 'Sensitive content, covered on pages' }),
  is_approved: Type.Boolean({ description: 'False while it waits for approval' }),
  is_private: Type.Boolean({ description: 'Only the owner, administrators and managers can see it' }),
  md5: Type.String({ description: 'Of the bytes, in hexadecimal digits' }),
  views: Type.Integer({ description: 'How often its page was viewed' }),
  likes: Type.Integer({ description: 'How many users like it' }),
  is_liked: Type.Boolean({ description: 'Whether the caller likes it' }),
  date: Timestamp('When it was uploaded, or the picture taken'),
  created_at: Timestamp('When it was uploaded'),
  updated_at: Timestamp('When it was last changed'),
  expires_at: orNull(Type.String(), 'When it expires; null: never'),
  deleted_at: orNull(Type.String(), 'When it was moved to the trash'),
  removed_by: orNull(
    Type.String({ enum: ['owner', 'staff'] }),
    'Who moved it to the trash: its `owner`, or the `staff`; then only the staff can restore ' +
      'it. Null if it is not in the trash',
  ),
  removal_reason: orNull(Type.String(), 'The reason that was given'),
  version: Type.Integer({ description: 'Increases with every edit; also in `ETag`' }),
  revision: Type.Integer({ description: 'Increases when the bytes are replaced' }),
  address_version: Type.Integer({
    description:
      'Part of every signature of its addresses. Increases with `rotate_address` and with changes ' +
      'of privacy, of the file or its album',
  }),
  placeholder: orNull(Type.String(), 'A thumbhash in Base64'),
  url: address('The address of the bytes'),
  url_viewer: address('The address of its page'),
  url_short: address('A shorter address of its page'),
  versions: Type.Object(
    {
      thumb: orNull(VersionObject, 'A small square'),
      medium: orNull(VersionObject, 'A smaller picture, if the file is large'),
      frame: orNull(VersionObject, 'A frame of a video'),
    },
    { description: 'Variants, made when the file was uploaded' },
  ),
  srcset: orNull(
    Type.String(),
    'The picture by width, in a format that the browser shows, for `img` elements of HTML. Of a video its frame. ' +
      'Null for animations and SVG, and where there is no smaller one',
  ),
  exif: Type.Optional(
    orNull(Type.Record(Type.String(), Type.Unknown()), 'Metadata of the camera, with `fields=exif`'),
  ),
})

/** The answer that made the file. */
export const UploadWarnings = Type.Optional(
  Type.Array(Type.Enum(['album-deleted']), {
    description:
      'Only if there are any. `album-deleted`: the album was deleted during the upload, so the ' +
      'file is private and in no album',
  }),
)

export const writeWarnings = (isAlbumDeleted: boolean) =>
  isAlbumDeleted ? { warnings: ['album-deleted'] } : {}

export const UploadedFileObject = Type.Object({
  ...FileObject.properties,
  delete_url: orNull(
    Type.String(),
    'Deletes the file without a key; only in this response. Null if another guest may have uploaded it',
  ),
  warnings: UploadWarnings,
})

export interface WrittenFile {
  shown: ShownFile
  addresses: FileAddresses
  hasExif?: boolean
  /** The caller may see smaller versions alone. */
  isWithoutOriginal?: boolean
  /** The caller may change it. */
  isOwn: boolean
}

export function writeFile({
  shown,
  addresses,
  hasExif = false,
  isWithoutOriginal = false,
  isOwn,
}: WrittenFile) {
  const { file, tags, username, isLiked } = shown
  const { url, url_viewer, url_short, versions, srcset } = file.deletedAt
    ? noAddresses
    : writeAddresses(file, addresses, isWithoutOriginal)
  const createdAt = writeTime(file.createdAt)
  // A row whose times are equal has one Date for them; to write all three was 7 % of a page of fifty.
  const timeOf = (at: Date) => (at === file.createdAt ? createdAt : writeTime(at))
  // One literal: groups that are spread into it take twice the time, fifty times a page.
  const written = {
    id: file.id,
    type: file.type,
    kind: file.kind,
    mime: file.mime,
    filename: fileNameOf(file),
    title: file.title ?? null,
    description: file.description ?? null,
    tags,
    category_id: file.categoryId ?? null,
    album_id: file.albumId ?? null,
    contributor: (isOwn && file.contributor) || null,
    user: file.userId === undefined ? null : { id: file.userId, username: username ?? '' },
    size: file.sizeBytes,
    width: file.width,
    height: file.height,
    duration: file.type === 'video' ? file.durationSeconds : null,
    is_animated: file.isAnimated,
    is_360: file.is360,
    is_nsfw: file.isNsfw,
    is_approved: file.isApproved,
    is_private: file.isPrivate,
    md5: file.md5,
    views: file.views,
    likes: file.likes,
    is_liked: isLiked,
    date: timeOf(file.date),
    created_at: createdAt,
    updated_at: timeOf(file.updatedAt),
    expires_at: writeTime(file.expiresAt),
    deleted_at: writeTime(file.deletedAt),
    removed_by: file.removedBy ?? null,
    removal_reason: file.removalReason ?? null,
    version: file.version,
    revision: file.revision,
    address_version: file.addressVersion,
    placeholder: file.placeholder ?? null,
    url,
    url_viewer,
    url_short,
    versions,
    srcset,
  }
  return hasExif ? { ...written, exif: file.exif === undefined ? null : JSON.parse(file.exif) } : written
}

/** The bytes of a file in the trash are at no address. */
const noAddresses = {
  url: null,
  url_viewer: null,
  url_short: null,
  versions: { thumb: null, medium: null, frame: null },
  srcset: null,
}

function writeAddresses(file: StoredFile, addresses: FileAddresses, isWithoutOriginal: boolean) {
  const version = (name: StoredVariant['variant']) => {
    const variant = file.variants.find((each) => each.variant === name)
    return variant
      ? {
          url: addresses.urlOf(variant),
          width: variant.width,
          height: variant.height,
          size: variant.sizeBytes,
        }
      : null
  }
  return {
    url: isWithoutOriginal ? null : addresses.url,
    url_viewer: addresses.viewer,
    url_short: addresses.short,
    versions: { thumb: version('thumb'), medium: version('medium'), frame: version('frame') },
    srcset: srcsetOf(file, addresses, { mayBeWhole: !isWithoutOriginal }) ?? null,
  }
}
