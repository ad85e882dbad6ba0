import { Type } from 'typebox'
import type { App } from '../app.ts'
import { keySecondsLeft, type VerifiedAddress, verifiedAddress } from '../http/addresses/verified-address.ts'
import { addressEnded } from '../http/responses/file-errors.ts'
import { LruMap } from '../lib/lru.ts'
import { invalidFields, Refusal } from '../lib/refusal.ts'
import { pairsOf } from '../lib/signed-address.ts'
import {
  type AskedTransform,
  checkSharedBytes,
  type DerivedRow,
  type FoundBytes,
  findDerivedSync,
  findPresetOptionsSync,
  keyOfDerived,
  type Original,
  originalOf,
  type Plan,
  planTransform,
  type ReadTransform,
  readTransform,
  resolvePreset,
} from '../media/index.ts'
import { isSwitchedOn, type Site } from '../site/index.ts'
import type { CachingLimits } from './file-response.ts'

const option = (description: string, ...examples: string[]) =>
  Type.Optional(Type.String({ description, examples, maxLength: 40 }))

/** The options of a picture, as the API description has them; `readTransform` reads them. */
export const TransformQuery = Type.Object({
  width: option('1 to 4096 pixels; also `w`', '640'),
  height: option('1 to 4096 pixels; also `h`', '480'),
  dpr: option('1 to 3, multiplies the sides', '2'),
  fit: option('`scale-down`, `cover` or `pad`; also `resize`', 'cover'),
  position: option('The part that `cover` keeps, or the place on the ground of `pad`', 'center'),
  background: option('Six hexadecimal digits or `transparent`', 'ffffff'),
  format: option('`auto`, `avif`, `webp`, `jpeg`, `png` or `origin`; also `f`', 'auto'),
  quality: option('1 to 100; also `q`', '75'),
  anim: option('1: all frames of an animation, in WebP', '1'),
  preset: option('The name of a preset of the site, in place of all other options', 'card'),
  e: option('The end of a signed address, in unix seconds', '1800000000'),
  sh: option('The share that gave a signed address'),
  s: option('The signature', '866989809c83fcd6a9d7d2f5d1e13888'),
})

/** A request for the address of a file, which may ask for another size or format. */
interface Asking {
  found: FoundBytes
  path: string
  url: string
  accept: string | undefined
  /** Of the preset that the query names, if they were not read with the row of the file. */
  presetOptions?: string | undefined
}

/** A request for a picture that is derived from the file. */
export interface TransformRequest {
  asked: AskedTransform
  original: Original
  plan: Plan
  /** The address names a share. */
  isShared: boolean
}

/** Pages ask for the same few sizes of all files. */
const knownQueries = new LruMap<string, { read: ReadTransform | undefined }>(2_000)

/** Longer texts are a stranger's, who could fill the memory with them. */
const longestKnown = 300

function readQuery(query: string): ReadTransform | undefined {
  const known = knownQueries.get(query)
  if (known) return known.read
  const pairs = pairsOf(query)
  const read = pairs && readTransform(pairs)
  if (query.length <= longestKnown) knownQueries.set(query, { read })
  return read
}

const queryOf = (url: string): string => {
  const at = url.indexOf('?')
  return at === -1 ? '' : url.slice(at + 1)
}

/** The preset that an address names. */
export function presetIn(url: string): string | undefined {
  const read = readQuery(queryOf(url))
  return read && 'preset' in read ? read.preset : undefined
}

/** What the query asks for: nothing, a picture, or something that cannot be. Options at the address of a variant change nothing. */
export function transformAsked(
  site: Site,
  { found, url, accept, presetOptions = found.file.presetOptions }: Asking,
): TransformRequest | Refusal | undefined {
  const query = queryOf(url)
  if (query === '' || !found.isOriginal || !isSwitchedOn(site.values, 'SERVICE_ENABLE_TRANSFORMS'))
    return undefined
  const asked = resolvePreset(readQuery(query), presetOptions)
  if (!asked) return undefined
  if ('faults' in asked) return invalidFields(asked.faults)
  const original = originalOf(found.file)
  // A video without a frame has no picture: its bytes are sent as ever.
  const isShared = /(?:^|&)sh=/.test(query)
  return original && { asked, original, plan: planTransform(asked, original, accept), isShared }
}

/** Refuses a picture that needs a signature. Returns when its address ends, in seconds from now. */
export async function checkMayTransform(
  app: App,
  site: Site,
  { asked, plan }: TransformRequest,
  asking: Asking,
): Promise<number> {
  const { file } = asking.found
  if (asked.isOpen || file.isProtected) return Number.POSITIVE_INFINITY
  const verified = verifiedOf(app, site, asking)
  if (!verified) throw transformNotAllowed()
  const left = secondsLeft(site, verified)
  if (left <= 0) throw addressEnded()
  const shareId = verified.pairs.get('sh')
  if (shareId !== undefined) await checkSharedBytes(site, { shareId, file, isOriginal: plan.isWhole })
  return Math.min(left, keySecondsLeft(site, verified))
}

const verifiedOf = (app: App, site: Site, { found, path, url }: Asking) =>
  verifiedAddress(app, site, { path, query: queryOf(url), version: found.file.addressVersion })

function secondsLeft({ clock }: Site, { pairs }: VerifiedAddress): number {
  const end = pairs.get('e')
  return end === undefined ? Number.POSITIVE_INFINITY : Number(end) - clock.now().getTime() / 1_000
}

export const transformNotAllowed = () =>
  new Refusal(
    'forbidden',
    'transform-not-allowed',
    'This size or format needs a signed address. Without one, only the usual widths are made.',
  )

/** While AVIF is made, others get WebP. */
const untilAvifSeconds = 60

/** An administrator may change what a preset stands for. */
const mostPresetSeconds = 3_600

/** How long a picture may be cached, and whether others get another one at its address. */
export function limitsOf(
  { asked, plan }: TransformRequest,
  { isFinal, endsIn }: { isFinal: boolean; endsIn: number },
): CachingLimits {
  const mostSeconds = asked.isPreset ? mostPresetSeconds : Number.POSITIVE_INFINITY
  return {
    mostSeconds: Math.floor(
      Math.min(endsIn, mostSeconds, isFinal ? Number.POSITIVE_INFINITY : untilAvifSeconds),
    ),
    isMutable: asked.isPreset,
    isVarying: plan.isVarying,
  }
}

const foundOfRows = new WeakMap<FoundBytes['file'], Map<string, FoundBytes>>()

/** A kept picture, as bytes to be sent. The same row is the same object, by which headers are cached. */
export function foundOfRow({ file }: FoundBytes, row: DerivedRow): FoundBytes {
  const known = foundOfRows.get(file) ?? new Map<string, FoundBytes>()
  foundOfRows.set(file, known)
  const found = known.get(row.id) ?? {
    file,
    key: keyOfDerived(row),
    mime: row.mime,
    sizeBytes: row.sizeBytes,
    sha256: row.sha256,
    isOriginal: false,
    derived: { id: row.id, identity: identityOf(row) },
  }
  known.set(row.id, found)
  return found
}

/** The same picture is the same bytes, whenever it is made. */
export const identityOf = ({
  fileId,
  keyRevision,
  options,
}: Pick<DerivedRow, 'fileId' | 'keyRevision' | 'options'>) => `${fileId} ${keyRevision} ${options}`

/** A picture for the fast path. */
export interface KeptPicture {
  found: FoundBytes
  limits: CachingLimits
}

/**
 * By query and `Accept`, for the row of a file: another row is read, and is another object, as soon as anything of the site has changed.
 * So what is here is current.
 */
const keptOfFiles = new WeakMap<FoundBytes['file'], Map<string, KeptPicture>>()
const mostKept = 64

/**
 * Synchronous variant: the kept picture, `none` if the query asks for none; undefined if the long way must look, or refuse.
 */
export function keptPictureSync(app: App, site: Site, asking: Asking): KeptPicture | 'none' | undefined {
  const { file, isOriginal } = asking.found
  if (!isOriginal) return 'none'
  const known = keptOfFiles.get(file)?.get(nameOfKept(asking))
  if (known && isSwitchedOn(site.values, 'SERVICE_ENABLE_TRANSFORMS')) return known
  const preset = presetIn(asking.url)
  const presetOptions = preset && findPresetOptionsSync(site.db, preset)
  // There is none, or it cannot be read without waiting.
  if (preset !== undefined && presetOptions === undefined) return undefined
  const request = transformAsked(site, { ...asking, presetOptions })
  if (!request) return 'none'
  if (request instanceof Refusal || file.isProtected) return undefined
  const endsIn = request.asked.isOpen ? Number.POSITIVE_INFINITY : signedFor(app, site, asking)
  if (endsIn <= 0) return undefined
  const { plan } = request
  const { id: fileId, keyRevision } = file
  const row = findDerivedSync(site.db, { fileId, keyRevision, options: (plan.later ?? plan).key })
  if (!row) return undefined
  const found = foundOfRow(asking.found, row)
  const kept = { found, limits: limitsOf(request, { isFinal: true, endsIn }) }
  rememberKept(asking, request, kept)
  return kept
}

const nameOfKept = ({ url, accept }: Asking) => `${queryOf(url)} ${accept ?? ''}`

/**
 * The row of the picture was read after that of the file, so a change of either replaces the file's object. A picture in place of another one
 * is not kept, nor one that needs a signature, which is checked each time.
 */
export function rememberKept(asking: Asking, { asked, plan }: TransformRequest, kept: KeptPicture): void {
  const { file } = asking.found
  const { id: fileId, keyRevision } = file
  const final = identityOf({ fileId, keyRevision, options: (plan.later ?? plan).key })
  const { derived } = kept.found
  if (!asked.isOpen || file.isProtected || !derived?.id || derived.identity !== final) return
  if (kept.found.file !== file || kept.limits.isUncached) return
  const name = nameOfKept(asking)
  const ofFile = keptOfFiles.get(file) ?? new Map<string, KeptPicture>()
  if (name.length <= longestKnown && ofFile.size < mostKept) keptOfFiles.set(file, ofFile.set(name, kept))
}

function signedFor(app: App, site: Site, asking: Asking): number {
  const verified = verifiedOf(app, site, asking)
  if (!verified || verified.pairs.has('sh')) return 0
  return Math.min(secondsLeft(site, verified), keySecondsLeft(site, verified))
}
