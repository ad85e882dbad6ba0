import { type TProperties, type TSchema, Type } from 'typebox'
import { mostHeaderBytes } from '../../http/responses/errors.ts'

const Closed = { additionalProperties: false }
const text = (description: string) => Type.String({ description })
const whole = (description: string) => Type.Integer({ description })
const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

const sourceText =
  'The file: base64 (standard or URL-safe), a data URI, or a URL that begins with `http://` or `https://`'

const sourceForm = '^(?:https?://\\S+|data:[^,]*,.*|[A-Za-z0-9+/_=\\s-]+)$'

const imageText = 'Third-party format: the source, instead of `source`'

const mostBytes = 65_536
const value = (description: string, maxLength = mostBytes) =>
  Type.Optional(Type.String({ maxLength, description }))
const number = (description: string, maximum: number) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum, description }))

/** In the order of docs/api-upload.md; the last two belong to the third-party format. */
const parameters: TProperties = {
  source: Type.Optional(Type.String({ pattern: sourceForm, description: sourceText })),
  key: value('The upload key, if it is not in the header `X-API-Key`'),
  format: value('`json` (default), `txt` or `redirect`'),
  title: value('Cut at 100 characters'),
  description: value('Cut at 5,000 characters'),
  tags: value('At most 500 names, separated by commas'),
  album_id: value('An album of the user whose key it is'),
  category_id: number('A category of the site', 2_147_483_647),
  width: number('1 to 65535: resizes the stored file to this width; never enlarges', 65_535),
  expiration: value('An ISO 8601 duration from `PT5M` to `P1Y`; third-party format: also seconds', 16),
  nsfw: number('`0` (default) or `1`', 1),
  use_file_date: number(
    '`0` (default) or `1`: the date in the metadata becomes the file’s date; for administrators',
    1,
  ),
  image: Type.Optional(Type.String({ pattern: sourceForm, description: imageText })),
  name: value('Third-party format: the title, unless there is a `title`'),
}

export const UploadForm = Type.Object(parameters)

/** A source in the query is no longer than an address. */
export const UploadQuery = Type.Object({
  ...parameters,
  source: value(sourceText, mostHeaderBytes),
  image: value(imageText, mostHeaderBytes),
})

export const UploadMultipart = Type.Object({
  ...parameters,
  source: Type.Optional(
    Type.String({
      contentMediaType: 'application/octet-stream',
      description: `A part with a file name holds the file itself. A part without one: ${sourceText}`,
    }),
  ),
})

/** Of one stored version of a file. If there is no such version, all are null. */
const versionFields = {
  filename: text('Name with extension'),
  name: text('Name without extension'),
  mime: text('Media type'),
  extension: text('Extension'),
  url: text('Direct URL'),
}

const onlyLegacy = 'only with `SERVICE_UPLOAD_LEGACY_FIELDS=1`'

const legacyVersionFields = {
  bits: Type.Optional(whole(`Bits for each channel; ${onlyLegacy}`)),
  channels: Type.Optional(whole(`Channels; ${onlyLegacy}`)),
  ratio: Type.Optional(Type.Number({ description: `Width by height; ${onlyLegacy}` })),
}

const OwnVersion = Type.Object(
  { ...versionFields, size: whole('Bytes'), ...legacyVersionFields },
  { ...Closed, description: 'The stored file' },
)

const Version = (description: string) =>
  Type.Object(
    {
      ...Object.fromEntries(Object.entries(versionFields).map(([name, schema]) => [name, orNull(schema)])),
      size: Type.Optional(whole('Bytes; absent if there is no such version')),
      ...legacyVersionFields,
    },
    { ...Closed, description },
  )

const TagObject = Type.Object(
  {
    name: text('The tag'),
    name_safe_html: text('The tag, escaped for HTML'),
    url_key: text('The tag, escaped for a URL'),
    url: text('Path of the tag'),
  },
  Closed,
)

const fileFields = {
  name: text('Name without extension'),
  extension: text('Extension, from the content'),
  size: whole('Bytes of the stored file'),
  width: whole('Pixels, upright'),
  height: whole('Pixels, upright'),
  date: text('Date of the file in the site’s time zone, `YYYY-MM-DD HH:MM:SS`'),
  date_gmt: text('The date in UTC'),
  title: orNull(text('Title')),
  tags: Type.Array(TagObject, { description: 'Tags' }),
  tags_string: text('Names of the tags, separated by `, `'),
  description: orNull(text('Description')),
  nsfw: whole('1 for sensitive content, else 0'),
  storage_mode: text('`datefolder` or `direct`'),
  md5: text('MD5 of the stored file'),
  source_md5: orNull(text('MD5 of the sent bytes if they differ from the stored ones')),
  original_filename: text('The name that was sent, without folders'),
  original_exifdata: orNull(text('Metadata as a JSON text')),
  views: whole('Views'),
  likes: whole('Likes'),
  category_id: orNull(whole('Id of the category')),
  chain: whole('Sum of the variants: 4 file, 2 medium, 1 thumb, 16 frame'),
  thumb_size: whole('Bytes of the thumb; 0 if there is none'),
  medium_size: whole('Bytes of the medium version; 0 if there is none'),
  frame_size: whole('Bytes of the frame; 0 if there is none'),
  expiration_date_gmt: orNull(text('When the file expires, in UTC')),
  is_animated: whole('1 or 0'),
  is_approved: whole('0 if the file waits for moderation, else 1'),
  is_360: whole('1 for a panorama, else 0'),
  duration: whole('Seconds of a video; 0 for a picture'),
  duration_time: text('`MM:SS` for a video; empty for a picture'),
  type: text('`image` or `video`'),
  file: Type.Object(
    { resource: Type.Object({ type: text('`path` on disk, `url` in a bucket') }, Closed) },
    Closed,
  ),
  id_encoded: text('Id of the file'),
  filename: text('Name with extension'),
  mime: text('Media type, from the content'),
  url: text('Direct URL of the file'),
  ratio: Type.Number({ description: 'Width by height' }),
  size_formatted: text('The size for people, in powers of 1000'),
  image: OwnVersion,
  thumb: Version('The crop of 320 × 320'),
  medium: Version('The version that is 500 wide'),
  frame: Type.Optional(Version('The frame of a video; absent for a picture')),
  url_frame: text('Direct URL of the frame; empty if there is none'),
  url_viewer: text('URL of the viewer page'),
  path_viewer: text('Path of the viewer page'),
  url_short: text('The short link'),
  display_url: text('URL of the version to show'),
  display_width: whole('Pixels of that version'),
  display_height: whole('Pixels of that version'),
  views_label: text('`view` or `views`'),
  likes_label: text('`like` or `likes`'),
  how_long_ago: text('`moments ago`, `2 hours ago`'),
  date_fixed_peer: text('The date in UTC'),
  title_truncated: text('The title, cut if it is longer than 28 characters'),
  title_truncated_html: text('The cut title, escaped for HTML'),
  display_title: text('The title, else the file name'),
  is_use_loader: Type.Boolean({ description: 'Whether the file is larger than 5 MB' }),
  delete_url: text('The delete link, sent once; empty if a guest gets an existing file'),
  storage_id: Type.Optional(Type.Null({ description: `Null; ${onlyLegacy}` })),
  storage: Type.Optional(text(`As \`storage_mode\`; ${onlyLegacy}`)),
}

/** The object of an uploaded file, field by field as `writeUploaded` writes it. */
export const UploadedFileObject = Type.Object(fileFields, Closed)

const ThirdPartyFileObject = Type.Object(
  {
    id: text('As `id_encoded`'),
    ...fileFields,
    time: whole('When the file was uploaded, in unix seconds'),
    expiration: whole('Seconds until the file expires; 0 if it does not'),
  },
  Closed,
)

const status = {
  status_code: whole('200'),
  status_txt: text('`OK`'),
}

/** The response to an upload: the plain one, and the one of the third-party format. */
export const UploadResponse = Type.Union([
  Type.Object(
    {
      status_code: status.status_code,
      success: Type.Object(
        { message: text('`image uploaded` or `file uploaded`'), code: whole('200') },
        Closed,
      ),
      image: UploadedFileObject,
      status_txt: status.status_txt,
    },
    Closed,
  ),
  Type.Object(
    {
      data: ThirdPartyFileObject,
      image: ThirdPartyFileObject,
      success: Type.Boolean({ description: 'true' }),
      status: whole('200'),
      ...status,
    },
    { ...Closed, description: 'If the source was sent as `image`' },
  ),
])
