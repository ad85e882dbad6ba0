import { createHmac, timingSafeEqual } from 'node:crypto'

type Pair = readonly [name: string, value: string]

/** What a signature stands for, besides the key. */
interface Signed {
  path: string
  /** The parameters of the query, without the signature; their order does not matter. */
  pairs: readonly Pair[]
  /** Raising it ends every signature that was made before. */
  version: number
}

export const signatureName = 's'

/** The query of a signed address: 128 bits of an HMAC-SHA256 over path, sorted parameters and version. */
export function signedQuery(key: Uint8Array, { path, pairs, version }: Signed): string {
  const query = pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  return [...query, `${signatureName}=${signatureOf(key, { path, pairs, version })}`].join('&')
}

/** The parameters of an address, if it has one valid signature; undefined otherwise. */
export function verifiedPairs(
  key: Uint8Array,
  { path, query, version }: { path: string; query: string; version: number },
): ReadonlyMap<string, string> | undefined {
  const all = pairsOf(query)
  if (!all || new Set(all.map(([name]) => name)).size !== all.length) return undefined
  const given = all.find(([name]) => name === signatureName)?.[1] ?? ''
  const pairs = all.filter(([name]) => name !== signatureName)
  if (!/^[0-9a-f]{32}$/.test(given)) return undefined
  const expected = signatureOf(key, { path, pairs, version })
  return timingSafeEqual(Buffer.from(given), Buffer.from(expected)) ? new Map(pairs) : undefined
}

/** The pairs of a query; undefined if it is not valid percent-encoded UTF-8. */
export function pairsOf(query: string): Pair[] | undefined {
  try {
    return query
      .split('&')
      .filter((pair) => pair !== '')
      .map((pair) => {
        const [name = '', ...value] = pair.split('=')
        return [decodeURIComponent(name), decodeURIComponent(value.join('='))]
      })
  } catch {
    return undefined
  }
}

function signatureOf(key: Uint8Array, { path, pairs, version }: Signed): string {
  const sorted = pairs.toSorted(([a], [b]) => (a < b ? -1 : 1))
  return createHmac('sha256', key)
    .update(JSON.stringify([path, sorted, version]))
    .digest('hex')
    .slice(0, 32)
}
