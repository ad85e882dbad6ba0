import { type Static, Type } from 'typebox'
import type { SharedAccess } from '../../../accounts/index.ts'
import {
  filePath,
  longestSignedMs,
  type Signing,
  signingPairs,
  usualSigning,
} from '../../../http/addresses/file-addresses.ts'
import { publicUrl } from '../../../http/addresses/public-url.ts'
import { Closed, orNull, readTime, Text, Time } from '../../../http/fields.ts'
import { noProof } from '../../../http/requests/proof-rule.ts'
import { siteKey } from '../../../http/site-key.ts'
import { type BrokenRule, broken, detailOf, type Fault } from '../../../lib/faults.ts'
import { invalidFields, Refusal } from '../../../lib/refusal.ts'
import { pairsOf, signedQuery } from '../../../lib/signed-address.ts'
import {
  type AskedTransform,
  type FoundBytes,
  findBytes,
  originalOf,
  planTransform,
  type ReadTransform,
  readShownFile,
  readTransform,
  resolvePreset,
  type ShownFile,
  shareGiving,
} from '../../../media/index.ts'
import type { ChangingEndpoint, MediaCall } from '../media-endpoint.ts'
import { onceRefusals } from '../responses.ts'

const mostUrls = 100

const SignBody = Type.Object(
  {
    urls: Type.Array(Text({ most: 2_048, description: 'An address', examples: ['/images/cat.png'] }), {
      minItems: 1,
      maxItems: mostUrls,
      description: `1 to ${mostUrls} addresses of files or variants on this site, with or without options, or their paths`,
    }),
    expires_at: Type.Optional(
      orNull(
        Time('A time'),
        'When the signatures end; at most in seven days for protected bytes, for which that is the ' +
          'default; null: never. RFC 3339, UTC',
      ),
    ),
  },
  Closed,
)

export const postSign: ChangingEndpoint = {
  tag: 'Files',
  summary: 'Sign addresses of bytes',
  description:
    'For files that the caller can see. Protected bytes need a signed address; the options of ' +
    'the address are part of the signature. A change of the file’s privacy, or rotating its ' +
    'address, invalidates all signatures. With `X-Share`, addresses are limited to what the ' +
    'share opens, name it in `sh`, and end with the pass at the latest.',
  access: 'write',
  proof: noProof.reading,
  body: SignBody,
  bodyExample: { urls: ['/images/2026/11/15/cat.png'] },
  responses: {
    200: {
      description: 'The addresses with their signatures, in the order given.',
      schema: Type.Object({ urls: Type.Array(Type.String(), { description: 'Signed addresses' }) }),
    },
    ...onceRefusals,
  },
  handle: async (call) => {
    const { urls, expires_at: expiresAt } = call.body as Static<typeof SignBody>
    const end = typeof expiresAt === 'string' ? readTime(expiresAt) : expiresAt
    const faults: Fault[] = []
    const signed: string[] = []
    for (const [index, url] of urls.entries()) {
      const result = await signedUrl(call, url, end)
      if ('fault' in result) faults.push({ field: result.field ?? `urls.${index}`, ...result.fault })
      else signed.push(result.url)
    }
    if (faults.length > 0) throw invalidFields(faults)
    return { status: 200, body: { urls: signed } }
  },
}

type Signed = { url: string } | { fault: BrokenRule; field?: string }

const reserved: ReadonlySet<string> = new Set(['s', 'e', 'sh'])

async function signedUrl(call: MediaCall, text: string, end: Date | null | undefined): Promise<Signed> {
  const { app, site, request } = call
  const base = publicUrl(app.config, site.hostname, request.client.scheme)
  const url = URL.canParse(text, base) ? new URL(text, base) : undefined
  const pairs = url && pairsOf(url.search.slice(1))
  const path =
    url?.hostname === site.hostname && url.pathname.startsWith('/images/') ? url.pathname : undefined
  if (path === undefined || !pairs) return { fault: broken('imageAddress') }
  if (
    pairs.some(([name]) => reserved.has(name)) ||
    new Set(pairs.map(([name]) => name)).size !== pairs.length
  )
    return { fault: broken('signedOptions') }
  const read = readTransform(pairs)
  if (read && 'faults' in read) return { fault: optionFault(read.faults) }
  const found = await bytesAt(call, path, read)
  const asked = resolvePreset(read, found?.file.presetOptions)
  const isFaulty = asked !== undefined && 'faults' in asked
  const given = found && (await givenFile(call, found, isFaulty ? undefined : asked))
  if (!given) return { fault: broken('fileAddress') }
  // After the file: a caller who may not see it learns nothing of the presets of the site.
  if (isFaulty) return { fault: optionFault(asked.faults) }
  const { shown, share } = given
  const now = site.clock.now()
  const endsAt = end === undefined && shown.isProtected ? usualSigning(now).endsAt : (end ?? undefined)
  const isInTime = endsAt ? endsAt > now && endsAt.getTime() <= now.getTime() + longestSignedMs : false
  if (shown.isProtected && !isInTime) return { field: 'expires_at', fault: broken('signedEnd') }
  if (endsAt && endsAt <= now) return { field: 'expires_at', fault: broken('future') }
  const signing = share ? signedByShare(share, endsAt) : endsAt && { endsAt }
  const query = signedQuery(siteKey(app, site, 'addresses'), {
    path,
    pairs: [...pairs, ...signingPairs(signing ?? {})],
    version: shown.file.addressVersion,
  })
  return { url: `${base.slice(0, -1)}${path}?${query}` }
}

/** What is signed through a share names it, and ends with the pass at the latest: a longer address would extend the view. */
const signedByShare = ({ shareId, endsAt }: SharedAccess, end: Date | undefined): Signing => ({
  shareId,
  endsAt: end && end < endsAt ? end : endsAt,
})

interface GivenFile {
  shown: ShownFile
  /** The share that gives it to the caller, if there is one. */
  share: SharedAccess | undefined
}

/** A share without downloads gives smaller pictures of a file, but not all of its pixels. */
function isWholeFile({ file }: FoundBytes, asked: AskedTransform): boolean {
  const original = originalOf(file)
  return !original || planTransform(asked, original, undefined).isWhole
}

function optionFault([fault]: readonly Fault[]): BrokenRule {
  return fault
    ? broken('addressOption', { option: fault.field, detail: detailOf(fault) })
    : broken('imageAddress')
}

async function bytesAt(
  { site }: MediaCall,
  path: string,
  read: ReadTransform | undefined,
): Promise<FoundBytes | undefined> {
  const at = filePath(path.slice('/images/'.length))
  const preset = read && 'preset' in read ? read.preset : undefined
  return at && findBytes(site, { ...at, preset })
}

/** Undefined if the bytes are not for this caller. */
async function givenFile(
  { site, caller }: MediaCall,
  found: FoundBytes,
  asked: AskedTransform | undefined,
): Promise<GivenFile | undefined> {
  try {
    const shown = await readShownFile(site, caller, { id: found.file.id })
    const share = shareGiving(caller, shown.file)
    const isWhole = found.isOriginal && (!asked || isWholeFile(found, asked))
    return isWhole && share?.allowsDownload === false ? undefined : { shown, share }
  } catch (error) {
    if (error instanceof Refusal && error.kind === 'not-found') return undefined
    throw error
  }
}
