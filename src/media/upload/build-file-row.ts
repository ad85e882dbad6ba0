import type { Actor } from '../../accounts/index.ts'
import type { Examined, Variant } from '../../imaging/index.ts'
import { randomHex } from '../../lib/ids.ts'
import { transliterate } from '../../lib/transliterate.ts'
import type { Settings, Site } from '../../site/index.ts'
import type { StoredFile, StoredVariant, VariantName } from '../files/stored-file.ts'
import { newestFirst } from '../position.ts'
import { expiresAfter, type UploadAttempt } from './upload-request.ts'

interface Parts extends UploadAttempt {
  id: string
  examined: Examined
}

/** The row of a new file, from the upload's parameters and the decoded content. */
export function buildFileRow(site: Site, { id, actor, upload, examined, settings }: Parts): StoredFile {
  const { spooled, request } = upload
  const createdAt = site.clock.now()
  const date = (request.usesFileDate && takenAt(examined, settings.timezone)) || createdAt
  const extension = extensionOf(examined, spooled.name)
  const name = nameOf(settings.file_naming as Naming, spooled.name, id)
  const stored = examined.file
  return {
    id,
    userId: actor.kind === 'user' ? actor.userId : undefined,
    albumId: request.albumId,
    categoryId: request.categoryId,
    kind: stored.kind,
    type: examined.type,
    mime: stored.mime,
    folder: folderOf(date, settings),
    name,
    extension,
    originalName: originalName(spooled.name ?? '') || `${name}.${extension}`,
    sizeBytes: stored.sizeBytes,
    width: examined.width,
    height: examined.height,
    durationSeconds: durationOf(examined),
    bits: examined.bits,
    channels: examined.channels,
    variants: variantsOf(examined, extension),
    md5: stored.isUnchanged ? spooled.md5 : (stored.md5 ?? spooled.md5),
    sourceMd5: stored.isUnchanged ? undefined : spooled.md5,
    title: request.title ?? (cutTitle(examined.title) || cutTitle(titleOfName(spooled.name ?? name))),
    description: request.description ?? examined.description,
    contributor: request.contributor,
    exif: examined.metadata,
    isNsfw: request.isNsfw,
    isAnimated: examined.isAnimated,
    isApproved: isApprovedAtOnce(actor, settings),
    isPrivate: false,
    is360: examined.is360,
    views: 0,
    likes: 0,
    date,
    createdAt,
    expiresAt: request.lifetime ? expiresAfter(createdAt, request.lifetime) : undefined,
    version: 1,
    revision: 1,
    updatedAt: createdAt,
    deletedAt: undefined,
    removedBy: undefined,
    removalReason: undefined,
    position: newestFirst(createdAt),
    placeholder: examined.placeholder,
    keyRevision: 1,
    lastKeyRevision: 1,
    replacedAt: undefined,
    addressVersion: 1,
  }
}

/** From the content; only `jpg` and `jpeg` follow the name that the client sent. */
function extensionOf({ file }: Examined, sentName: string | undefined): string {
  const [usual = 'bin'] = file.extensions
  if (file.kind !== 'jpeg') return usual
  return /\.jpg$/i.test(sentName ?? '') ? 'jpg' : 'jpeg'
}

/** The day in the site's own time zone. */
function folderOf(date: Date, settings: Settings): string {
  if (settings.storage_mode === 'direct') return 'images'
  const day = Temporal.Instant.fromEpochMilliseconds(date.getTime())
    .toZonedDateTimeISO(settings.timezone)
    .toPlainDate()
  return `images/${day.toString().replaceAll('-', '/')}`
}

/** Whole seconds, at least one. */
const durationOf = (examined: Examined) =>
  examined.type === 'video' ? Math.max(1, Math.round(examined.durationSeconds)) : 0

/** EXIF times have no time zone: they are read in the site's. Times in videos are in UTC. */
function takenAt({ type, takenAt: text }: Examined, zone: string): Date | undefined {
  if (text === undefined) return undefined
  if (type === 'video') return new Date(text)
  try {
    const local = Temporal.PlainDateTime.from(text.replace(' ', 'T'))
    const { year } = local
    return year >= 1800 && year <= 9999 ? new Date(local.toZonedDateTime(zone).epochMilliseconds) : undefined
  } catch {
    // Cameras whose clock was never set write invalid dates.
    return undefined
  }
}

/** A variant of the file's own type has the file's extension. */
function variantsOf(examined: Examined, extension: string): StoredVariant[] {
  const { file, thumb, medium } = examined
  const storedVariant = (variant: VariantName, { path: _path, ...made }: Variant): StoredVariant => ({
    ...made,
    variant,
    extension: made.mime === file.mime ? extension : made.extension,
  })
  const made = { thumb, medium, frame: examined.type === 'video' ? examined.frame : undefined }
  return Object.entries(made).flatMap(([name, each]) =>
    each ? [storedVariant(name as VariantName, each)] : [],
  )
}

const titleOfName = (name: string) =>
  baseName(name)
    .replaceAll(/[-_\s]+/g, ' ')
    .trim()

const cutTitle = (title: string | undefined) => (title ? [...title].slice(0, 100).join('') : undefined)

/** False if what the caller uploads waits for approval. */
export function isApprovedAtOnce(actor: Actor, { moderation }: Settings): boolean {
  if (moderation === 'off') return true
  if (actor.kind === 'guest') return false
  return moderation === 'guest' || actor.role !== 'user'
}

type Naming = 'original' | 'random' | 'mixed' | 'id'

const maxNameLength = 200
const maxOriginalNameLength = 255

/** The name of a file in its URL, by the site's setting, without extension. */
function nameOf(naming: Naming, sentName: string | undefined, id: string): string {
  if (naming === 'id') return id
  if (naming === 'random') return randomHex(16)
  const clean = cleanName(sentName ?? '')
  return naming === 'mixed' ? withSuffix(clean) : clean
}

/** Makes a taken name unique. */
export const withSuffix = (name: string): string => `${name.slice(0, maxNameLength - 17)}-${randomHex(8)}`

/** ASCII, without characters that are special in a path or URL; random if nothing remains. */
function cleanName(sentName: string): string {
  const name = transliterate(baseName(sentName))
    .trim()
    .replaceAll(/\s+/g, '-')
    .replaceAll(/[^A-Za-z0-9_.-]/g, '')
    .replace(/^[.-]+/, '')
    .slice(0, maxNameLength)
    // These suffixes mark variants: a file with such a name could be mistaken for another file's variant.
    .replace(/(?:\.(?:th|md|fr|lg|original)|[.-])+$/i, '')
  return name === '' ? randomHex(16) : name
}

/** The sent name without folders and extension. */
const baseName = (sentName: string): string => lastPart(sentName).replace(/\.[A-Za-z0-9]{1,8}$/, '')

/** The sent name without folders. */
const originalName = (sentName: string): string =>
  [...lastPart(sentName)].slice(0, maxOriginalNameLength).join('')

/** Control characters become spaces: they are invisible, and PostgreSQL refuses NUL. */
const lastPart = (sentName: string) =>
  (sentName.split(/[/\\]/).at(-1) ?? '').toWellFormed().replaceAll(/\p{Cc}/gu, ' ')
