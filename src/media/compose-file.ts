import type { Actor } from '../accounts/index.ts'
import type { Examined, Variant } from '../imaging/index.ts'
import type { Settings, Site } from '../site/index.ts'
import type { Asked } from './duplicates.ts'
import { expiresAfter } from './expiration.ts'
import { baseName, type Naming, nameOf, originalName } from './file-name.ts'
import type { StoredFile, StoredVariant, VariantName } from './stored-file.ts'

interface Parts extends Asked {
  id: string
  examined: Examined
}

/** Everything that will be known of the file, from what came with it and what was found in it. */
export function composeFile(site: Site, { id, actor, upload, examined, settings }: Parts): StoredFile {
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
    variants: versionsOf(examined, extension),
    md5: stored.isUnchanged ? spooled.md5 : (stored.md5 ?? spooled.md5),
    sourceMd5: stored.isUnchanged ? undefined : spooled.md5,
    title: request.title ?? (cutTitle(examined.title) || cutTitle(spokenName(spooled.name ?? name))),
    description: request.description ?? examined.description,
    exif: examined.metadata,
    isNsfw: request.isNsfw,
    isAnimated: examined.isAnimated,
    isApproved: isApproved(actor, settings),
    is360: examined.is360,
    views: 0,
    likes: 0,
    date,
    createdAt,
    expiresAt: request.lifetime ? expiresAfter(createdAt, request.lifetime) : undefined,
  }
}

/** `jpg` is kept where the sender said so; all else is told by the content. */
function extensionOf({ file }: Examined, sentName: string | undefined): string {
  const [usual = 'bin'] = file.extensions
  if (file.kind !== 'jpeg') return usual
  return /\.jpg$/i.test(sentName ?? '') ? 'jpg' : 'jpeg'
}

/** The day in the site's own zone. */
function folderOf(date: Date, settings: Settings): string {
  if (settings.storage_mode === 'direct') return 'images'
  const day = Temporal.Instant.fromEpochMilliseconds(date.getTime())
    .toZonedDateTimeISO(settings.timezone)
    .toPlainDate()
  return `images/${day.toString().replaceAll('-', '/')}`
}

/** Whole seconds, of which even the shortest video has one. */
const durationOf = (examined: Examined) =>
  examined.type === 'video' ? Math.max(1, Math.round(examined.durationSeconds)) : 0

/** A camera's clock knows no zone: it is read in the site's. A video's is told in UTC. */
function takenAt({ type, takenAt: text }: Examined, zone: string): Date | undefined {
  if (text === undefined) return undefined
  if (type === 'video') return new Date(text)
  try {
    const local = Temporal.PlainDateTime.from(text.replace(' ', 'T'))
    const { year } = local
    return year >= 1800 && year <= 9999 ? new Date(local.toZonedDateTime(zone).epochMilliseconds) : undefined
  } catch {
    // A date that is none, as cameras write it whose clock was never set.
    return undefined
  }
}

/** A version of the file's own type is spelled as the file is. */
function versionsOf(examined: Examined, extension: string): StoredVariant[] {
  const { file, thumb, medium } = examined
  const version = (variant: VariantName, { path: _path, ...made }: Variant): StoredVariant => ({
    ...made,
    variant,
    extension: made.mime === file.mime ? extension : made.extension,
  })
  const made = { thumb, medium, frame: examined.type === 'video' ? examined.frame : undefined }
  return Object.entries(made).flatMap(([name, each]) => (each ? [version(name as VariantName, each)] : []))
}

const spokenName = (name: string) =>
  baseName(name)
    .replaceAll(/[-_\s]+/g, ' ')
    .trim()

const cutTitle = (title: string | undefined) => (title ? [...title].slice(0, 100).join('') : undefined)

function isApproved(actor: Actor, { moderation }: Settings): boolean {
  if (moderation === 'off') return true
  if (actor.kind === 'guest') return false
  return moderation === 'guest' || actor.role !== 'user'
}
