import type { SharedAccess } from '../../accounts/index.ts'
import type { App } from '../../app.ts'
import { signedQuery } from '../../lib/signed-address.ts'
import { fileNameOf, isProtected, type StoredFile, type StoredVariant } from '../../media/index.ts'
import { isSwitchedOn, type Site } from '../../site/index.ts'
import type { Scheme } from '../requests/client-info.ts'
import { siteKey } from '../site-key.ts'
import { publicUrl } from './public-url.ts'
import { verifiedAddress } from './verified-address.ts'

/** The public URLs of a file. */
export interface FileAddresses {
  url: string
  urlOf(variant: StoredVariant): string
  /**
   * Of the picture in a width of the ladder and in a format that its reader shows, which the address says unless it is brief. Undefined
   * where no other sizes are made.
   */
  sized?: (width: number, isBrief?: boolean) => string
  /**
   * Of the picture as a preset of the site makes it; undefined where no other sizes are made. With `changed` it is another address, for
   * who must not see what a cache holds.
   */
  byPreset?: (name: string, changed?: number) => string
  viewer: string
  viewerPath: string
  short: string
  deletion(token: string): string
}

/** How the addresses of protected bytes are signed. */
export interface Signing {
  /** Undefined in the answer that makes a file: these last until they are rotated, or the privacy changes. */
  endsAt?: Date
  /** The share that gives the addresses, and that they end with. */
  shareId?: string
}

interface AddressOptions {
  forwarded?: Scheme | undefined
  /** Undefined for bytes that need no signature. */
  signing?: Signing | undefined
}

export function addressesOf(
  app: App,
  site: Site,
  file: StoredFile,
  { forwarded, signing }: AddressOptions = {},
): FileAddresses {
  const base = publicUrl(app.config, site.hostname, forwarded).slice(0, -1)
  const slug = slugOf(file.title ?? '')
  const viewerPath = `/${file.type}/${slug === '' ? '' : `${slug}.`}${file.id}`
  const short = `${base}/${file.type}/${file.id}`
  const pathOf = (variant?: StoredVariant) => `/${file.folder}/${fileNameOf(file, variant)}`
  const path = pathOf()
  const urlAt = (path: string, options: readonly Pair[] = []) =>
    base + path + queryOf(app, site, { file, path, options, signing })
  const sized = (width: number, isBrief = false) =>
    urlAt(path, [['width', String(width)], ...(isBrief ? [] : [formatAuto])])
  const byPreset = (name: string, changed?: number) =>
    urlAt(path, [['preset', name], ...(changed === undefined ? [] : [['changed', String(changed)] as const])])
  return {
    url: urlAt(path),
    urlOf: (variant) => urlAt(pathOf(variant)),
    ...(isSwitchedOn(site.values, 'SERVICE_ENABLE_TRANSFORMS') && { sized, byPreset }),
    viewer: base + viewerPath,
    viewerPath,
    short,
    deletion: (token) => `${short}/delete/${token}`,
  }
}

/** Addresses for a caller who may see the file; those of protected bytes are signed for some days. */
export async function workingAddresses(
  app: App,
  site: Site,
  file: StoredFile,
  forwarded?: Scheme,
): Promise<FileAddresses> {
  const signing = (await isProtected(site, file)) ? usualSigning(site.clock.now()) : undefined
  return addressesOf(app, site, file, { forwarded, signing })
}

type Pair = readonly [name: string, value: string]

const formatAuto: Pair = ['format', 'auto']

interface Signed {
  file: StoredFile
  path: string
  options: readonly Pair[]
  signing: Signing | undefined
}

function queryOf(app: App, site: Site, { file, path, options, signing }: Signed): string {
  // From the first replacement on: caches may hold the bytes of the first revision for a year.
  const asked = file.revision > 1 ? [...options, ['v', String(file.revision)] as const] : options
  if (!signing) return asked.length === 0 ? '' : `?${asked.map((pair) => pair.join('=')).join('&')}`
  const pairs = [...asked, ...signingPairs(signing)]
  return `?${signedQuery(siteKey(app, site, 'addresses'), { path, pairs, version: file.addressVersion })}`
}

/** The parameters of a signed address: `e` is its end in seconds, `sh` the share that gives it. */
export const signingPairs = ({ endsAt, shareId }: Signing) => [
  ...(endsAt ? [['e', String(Math.floor(endsAt.getTime() / 1_000))] as const] : []),
  ...(shareId === undefined ? [] : [['sh', shareId] as const]),
]

const dayMs = 24 * 3_600_000
export const longestSignedMs = 7 * dayMs

/** For pages and the API: at most seven days, and the same for a whole day, so that browsers can cache what they load. */
export const usualSigning = (now: Date): Signing => ({
  endsAt: new Date(Math.floor(now.getTime() / dayMs) * dayMs + longestSignedMs),
})

/** Most titles; the steps below would make the same of them, and take ten times as long. */
const plainWords = /^(?:[A-Za-z0-9]+(?:[ -]+[A-Za-z0-9]+)*)?$/

/** A title as a part of a path, without characters that have a meaning in a URL. */
export function slugOf(title: string): string {
  if (plainWords.test(title)) return title.replaceAll(/[ -]+/g, '-')
  const words = title
    .toWellFormed()
    .replaceAll(/\s/g, ' ')
    .replaceAll(/[\\/~&!'"?#%.<>[\]{}|^`\p{C}]/gu, '')
    .trim()
    .replaceAll(/[ -]+/g, '-')
  return encodeURIComponent(words.replaceAll(/^-|-$/g, ''))
}

/** Addresses that a share gives end with the pass and with the share. */
export const signingOf = (now: Date, share: SharedAccess | undefined): Signing =>
  share ? { endsAt: share.endsAt, shareId: share.shareId } : usualSigning(now)

const pathForm = /^[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)*$/

/** Folder and file name of a path below `/images/`; undefined for characters that no stored name has. */
export function filePath(path: string): { folder: string; fileName: string } | undefined {
  if (!pathForm.test(path)) return undefined
  const at = path.lastIndexOf('/')
  return { folder: at < 0 ? 'images' : `images/${path.slice(0, at)}`, fileName: path.slice(at + 1) }
}

/** The short one: the other changes with the title. */
const pagePathOf = ({ type, id }: StoredFile) => `/${type}/${id}`

/**
 * An address of the page of a file that opens it whatever its privacy, for its uploader. It is good until the file's addresses are
 * rotated, or its privacy changes.
 */
export function signedPagePath(app: App, site: Site, file: StoredFile): string {
  const path = pagePathOf(file)
  const signed = { path, pairs: [], version: file.addressVersion }
  return `${path}?${signedQuery(siteKey(app, site, 'addresses'), signed)}`
}

/** Whether the query of a request for the page of the file is signed. */
export function isSignedPage(
  app: App,
  site: Site,
  { file, url }: { file: StoredFile; url: string },
): boolean {
  const at = url.indexOf('?')
  if (at === -1) return false
  const signed = { path: pagePathOf(file), query: url.slice(at + 1), version: file.addressVersion }
  return verifiedAddress(app, site, signed)?.pairs.size === 0
}
