import { type Static, Type } from 'typebox'
import {
  addressFault,
  type CreatedKey,
  type KeyLimits,
  longestKeyName,
  maxAddresses,
  maxOrigins,
  originFault,
  type Scope,
  scopes,
  type UserKey,
} from '../../../accounts/index.ts'
import type { LooseBody } from '../../../http/endpoint.ts'
import {
  Closed,
  Id,
  orNull,
  readTime,
  Text,
  Time,
  Timestamp,
  Whole,
  Word,
  writeTime,
} from '../../../http/fields.ts'
import { type BrokenRule, broken, type Fault, faultsIf } from '../../../lib/faults.ts'

export const scopeText = `One of ${scopes.map((scope) => `\`${scope}\``).join(', ')}`

const originsText = `Origins of pages that can use the key, at most ${maxOrigins}; empty: all, and programs too`
const addressesText = `IP addresses and CIDR ranges that can use the key, at most ${maxAddresses}; empty: all`

const limitFields = {
  expires_at: orNull(Type.String(), 'When the key expires; null: never. RFC 3339, UTC'),
  allowed_origins: Type.Array(Type.String(), { description: originsText }),
  allowed_addresses: Type.Array(Type.String(), { description: addressesText }),
}

export const KeyObject = Type.Object({
  id: Type.String({ description: 'Names the key in addresses' }),
  name: Type.String({ description: 'Unique among the keys of the user' }),
  scope: Word(scopes, scopeText),
  album_id: orNull(Type.String(), 'The only album that the key can use; null: all'),
  ...limitFields,
  created_at: Timestamp('When the key was created'),
  last_used_at: orNull(Type.String(), 'When the key was last used, to the minute; null: never'),
  last_used_address: orNull(Type.String(), 'The address that last used it'),
})

export const CreatedKeyObject = Type.Object({
  ...KeyObject.properties,
  key: Type.String({ description: 'The key itself. It is shown only once: only its hash is stored.' }),
})

export function writeKey(key: UserKey) {
  return {
    id: key.id,
    name: key.name,
    scope: key.scope,
    album_id: key.albumId ?? null,
    expires_at: writeTime(key.expiresAt),
    allowed_origins: key.allowedOrigins,
    allowed_addresses: key.allowedAddresses,
    created_at: writeTime(key.createdAt),
    last_used_at: writeTime(key.lastUsedAt),
    last_used_address: key.lastUsedAddress ?? null,
  }
}

export const writeCreatedKey = ({ row, key }: CreatedKey) => ({ ...writeKey(row), key })

const Origins = Type.Array(
  Text({
    most: 300,
    description: 'Scheme, host and port',
    pattern: '^https?://[^/\\s]+$',
    rule: broken('origin'),
    examples: ['https://app.example.com'],
  }),
  { maxItems: maxOrigins, description: originsText },
)
const Addresses = Type.Array(
  Text({
    most: 50,
    description: 'An address or a range',
    pattern: '^[0-9A-Fa-f:.]+(?:/\\d{1,3})?$',
    rule: broken('addressRange'),
    examples: ['192.0.2.7', '192.0.2.0/24', '2001:db8::/32'],
  }),
  { maxItems: maxAddresses, description: addressesText },
)

const editFields = {
  expires_at: Type.Optional(orNull(Time('A time'), 'When the key expires; null: never. RFC 3339, UTC')),
  allowed_origins: Type.Optional(orNull(Origins, originsText)),
  allowed_addresses: Type.Optional(orNull(Addresses, addressesText)),
}

const KeyName = Text({
  least: 1,
  most: longestKeyName,
  description: `1 to ${longestKeyName} characters, unique among the keys of the user`,
  pattern: '^\\P{Cc}*$',
  rule: broken('controlCharacters'),
})

export const NewKeyBody = Type.Object(
  {
    name: KeyName,
    scope: Type.Optional(orNull(Word(scopes, 'A scope'), `${scopeText}; \`upload\` by default`)),
    album_id: Type.Optional(orNull(Id('An album'), 'An album of the user: limits the key to this album')),
    ...editFields,
  },
  Closed,
)

export const KeyEditBody = Type.Object(
  { name: Type.Optional(KeyName), ...editFields },
  {
    ...Closed,
    minProperties: 1,
  },
)

type KeyFields = Static<typeof KeyEditBody>

/** Rules of a key's fields beyond their schema. */
export const keyFaults = (body: LooseBody): Fault[] => [
  ...listFaults(body, 'allowed_origins', originFault),
  ...listFaults(body, 'allowed_addresses', addressFault),
]

function listFaults(
  body: LooseBody,
  field: string,
  brokenBy: (text: string) => BrokenRule | undefined,
): Fault[] {
  const list = body[field]
  if (!Array.isArray(list)) return []
  return list.flatMap((entry, index) =>
    faultsIf(`${field}.${index}`, typeof entry === 'string' ? brokenBy(entry) : undefined),
  )
}

export function readNewKey(body: unknown) {
  const { name, scope, album_id: albumId, ...limits } = body as Static<typeof NewKeyBody>
  const { expiresAt, allowedOrigins, allowedAddresses } = readLimits(limits)
  return {
    name,
    scope: (scope ?? 'upload') as Scope,
    albumId: albumId ?? undefined,
    expiresAt: expiresAt ?? undefined,
    allowedOrigins: allowedOrigins ?? [],
    allowedAddresses: allowedAddresses ?? [],
  }
}

export function readKeyEdit(body: unknown) {
  const { name, ...limits } = body as KeyFields
  return { ...readLimits(limits), ...(name !== undefined && { name }) }
}

/** Undefined for a field that is left out, null for one that is cleared. */
function readLimits(fields: Omit<KeyFields, 'name'>) {
  const { expires_at: expiresAt, allowed_origins: origins, allowed_addresses: addresses } = fields
  const limits: { [Field in keyof KeyLimits]?: KeyLimits[Field] | null } = {}
  if (expiresAt !== undefined) limits.expiresAt = expiresAt === null ? null : (readTime(expiresAt) ?? null)
  if (origins !== undefined) limits.allowedOrigins = origins
  if (addresses !== undefined) limits.allowedAddresses = addresses
  return limits
}

const longestOverlapSeconds = 604_800

export const RotateBody = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Whole(
        0,
        longestOverlapSeconds,
        `How long the old secret is still accepted: 0 (the default) to ${longestOverlapSeconds}`,
      ),
    ),
  },
  Closed,
)

export const readOverlap = (body: unknown): number => (body as Static<typeof RotateBody>).overlap_seconds ?? 0
