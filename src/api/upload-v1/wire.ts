import { formatSize } from '../../common/format.ts'
import { escapeHtml } from '../../common/texts.ts'
import type { FileAddresses } from '../../http/addresses/file-addresses.ts'
import { tagKey, tagPath } from '../../http/addresses/public-url.ts'
import { writeTime } from '../../lib/times.ts'
import {
  fileNameOf,
  type StoredFile,
  type StoredVariant,
  type Uploaded,
  variantOf,
} from '../../media/index.ts'
import { isSwitchedOn, type Site, type SiteValues } from '../../site/index.ts'

interface UploadedFile {
  site: Site
  uploaded: Uploaded
  addresses: FileAddresses
  timeZone: string
  storageKind: 'disk' | 's3'
}

const loaderBytes = 5_000_000

/** The uploaded file, in the order of the specification's table. */
export function writeUploaded({ site, uploaded, addresses, timeZone, storageKind }: UploadedFile) {
  const { file, tags, deleteToken } = uploaded
  const [thumb, medium, frame] = (['thumb', 'medium', 'frame'] as const).map((name) => variantOf(file, name))
  const title = file.title ?? null
  const shortTitle = truncated(title ?? '')
  const display = displayOf(file, addresses, medium, frame)
  return {
    name: file.name,
    extension: file.extension,
    size: file.sizeBytes,
    width: file.width,
    height: file.height,
    date: writeLocalTime(file.date, timeZone),
    date_gmt: writeTime(file.date),
    title,
    tags: tags.map(writeTag),
    tags_string: tags.join(', '),
    description: file.description ?? null,
    nsfw: Number(file.isNsfw),
    storage_mode: file.folder === 'images' ? 'direct' : 'datefolder',
    md5: file.md5,
    source_md5: file.sourceMd5 ?? null,
    original_filename: file.originalName,
    original_exifdata: file.exif ?? null,
    views: file.views,
    likes: file.likes,
    category_id: file.categoryId ?? null,
    chain: (frame ? 16 : 0) + 4 + (medium ? 2 : 0) + (thumb ? 1 : 0),
    thumb_size: thumb?.sizeBytes ?? 0,
    medium_size: medium?.sizeBytes ?? 0,
    frame_size: frame?.sizeBytes ?? 0,
    expiration_date_gmt: file.expiresAt ? writeTime(file.expiresAt) : null,
    is_animated: Number(file.isAnimated),
    is_approved: Number(file.isApproved),
    is_360: Number(file.is360),
    duration: file.durationSeconds,
    duration_time: file.type === 'video' ? minutesAndSeconds(file.durationSeconds) : '',
    type: file.type,
    file: { resource: { type: storageKind === 'disk' ? 'path' : 'url' } },
    id_encoded: file.id,
    filename: fileNameOf(file),
    mime: file.mime,
    url: addresses.url,
    ratio: file.width / file.height,
    size_formatted: formatSize(file.sizeBytes),
    image: {
      filename: fileNameOf(file),
      name: file.name,
      mime: file.mime,
      extension: file.extension,
      url: addresses.url,
      size: file.sizeBytes,
      ...legacyFields(site.values, file, file),
    },
    thumb: writeVersion(site.values, file, thumb, addresses),
    medium: writeVersion(site.values, file, medium, addresses),
    ...(file.type === 'video' ? { frame: writeVersion(site.values, file, frame, addresses) } : {}),
    url_frame: frame ? addresses.urlOf(frame) : '',
    url_viewer: addresses.viewer,
    path_viewer: addresses.viewerPath,
    url_short: addresses.short,
    ...display,
    views_label: file.views === 1 ? 'view' : 'views',
    likes_label: file.likes === 1 ? 'like' : 'likes',
    how_long_ago: howLongAgo(file.date, site.clock.now()),
    date_fixed_peer: writeTime(file.date),
    title_truncated: shortTitle,
    title_truncated_html: escapeHtml(shortTitle),
    display_title: title ?? fileNameOf(file),
    is_use_loader: file.sizeBytes > loaderBytes,
    // Always a string, as clients expect it.
    delete_url: deleteToken === undefined ? '' : addresses.deletion(deleteToken),
    ...(hasLegacyFields(site.values)
      ? { storage_id: null, storage: file.folder === 'images' ? 'direct' : 'datefolder' }
      : {}),
  }
}

type UploadedObject = ReturnType<typeof writeUploaded>

/** The plain response, and the one of the third-party format, which has the object under both names. */
export function writeUploadResponse(object: UploadedObject, file: StoredFile, isThirdPartyFormat: boolean) {
  if (!isThirdPartyFormat) {
    const message = file.type === 'image' ? 'image uploaded' : 'file uploaded'
    return { status_code: 200, success: { message, code: 200 }, image: object, status_txt: 'OK' }
  }
  const time = Math.floor(file.createdAt.getTime() / 1_000)
  const expiration = file.expiresAt ? file.expiresAt.getTime() / 1_000 - time : 0
  const data = { id: object.id_encoded, ...object, time, expiration }
  return { data, image: data, success: true, status: 200, status_code: 200, status_txt: 'OK' }
}

function writeVersion(
  values: SiteValues,
  file: StoredFile,
  variant: StoredVariant | undefined,
  addresses: FileAddresses,
) {
  if (!variant) return { filename: null, name: null, mime: null, extension: null, url: null }
  const filename = fileNameOf(file, variant)
  return {
    filename,
    name: filename.slice(0, -variant.extension.length - 1),
    mime: variant.mime,
    extension: variant.extension,
    url: addresses.urlOf(variant),
    size: variant.sizeBytes,
    ...legacyFields(values, file, variant),
  }
}

const hasLegacyFields = (values: SiteValues) => isSwitchedOn(values, 'SERVICE_UPLOAD_LEGACY_FIELDS')

/** Fields that the earliest version of the API had in each version of a file. */
function legacyFields(
  values: SiteValues,
  file: StoredFile,
  { width, height }: { width: number; height: number },
) {
  return hasLegacyFields(values) ? { bits: file.bits, channels: file.channels, ratio: width / height } : {}
}

function displayOf(
  file: StoredFile,
  addresses: FileAddresses,
  medium: StoredVariant | undefined,
  frame: StoredVariant | undefined,
) {
  const shown = medium ?? frame
  return {
    display_url: shown ? addresses.urlOf(shown) : addresses.url,
    display_width: (shown ?? file).width,
    display_height: (shown ?? file).height,
  }
}

const writeTag = (name: string) => ({
  name,
  name_safe_html: escapeHtml(name),
  url_key: tagKey(name),
  url: tagPath(name),
})

function truncated(title: string): string {
  const characters = [...title]
  return characters.length > 28 ? `${characters.slice(0, 25).join('').trim()}...` : title
}

function writeLocalTime(at: Date, timeZone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDateTime()
  return local.toString({ smallestUnit: 'second' }).replace('T', ' ')
}

const minutesAndSeconds = (seconds: number) =>
  `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`

const units: readonly (readonly [string, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]

/** In the largest unit that fits, such as `2 hours ago`. */
function howLongAgo(at: Date, now: Date): string {
  const seconds = Math.floor((now.getTime() - at.getTime()) / 1_000)
  const unit = units.find(([, length]) => seconds >= length)
  if (!unit) return 'moments ago'
  const count = Math.floor(seconds / unit[1])
  return `${count} ${unit[0]}${count === 1 ? '' : 's'} ago`
}
