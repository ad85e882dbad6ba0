import { type CodeFormat, embedCode, shownVersion } from '../../../src/common/embed-codes.ts'
import { titleOr } from '../../../src/common/texts.ts'
import type { UploadedFile, UploadedVersion } from '../../../src/common/wire.ts'

export type Format = Exclude<CodeFormat, 'short'>
export type Size = 'full' | 'medium' | 'thumb'

/** The codes of the viewer's page. A size that a file lacks is the next larger one. */
export function codeOf(file: UploadedFile, format: Format, size: Size): string {
  const { url_viewer: page, url_short: short, filename: name, versions } = file
  const embedded = {
    ...file,
    page,
    short,
    name,
    title: titleOr(name, file.title),
    poster: versions.frame?.url,
    shown: shownVersion(file, () => file.srcset),
  }
  const version = versionOf(file, size)
  return embedCode(embedded, format, { ...(version && { version }), template: ownTemplate() })
}

/** Of the account; empty if there is none. */
export const ownTemplate = (): string => document.body.dataset.template ?? ''

/** Undefined for the file itself. */
function versionOf(
  { versions: { thumb, medium, frame } }: UploadedFile,
  size: Size,
): UploadedVersion | undefined {
  if (size === 'thumb' && thumb) return thumb
  return (size === 'full' ? undefined : (medium ?? frame)) ?? undefined
}
