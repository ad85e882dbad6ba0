import { type Static, Type } from 'typebox'
import {
  addressFault,
  type CreatedKey,
  type KeyLimits,
  keyNameFault,
  maxAddresses,
  maxOrigins,
  originFault,
  type Scope,
  scopes,
  type UserKey,
} from '../../../../accounts/index.ts'
import type { LooseBody } from '../../../endpoint.ts'
import { Closed, orNull, readTime, scopeText, Timestamp, writeTime } from '../common.ts'

const originsText = `Origins of pages that may send the key, at most ${maxOrigins}; empty: all, and programs too`
const addressesText = `Addresses and CIDR ranges that may send the key, at most ${maxAddresses}; empty: all`

const limitFields = {
  expires_at: orNull(Type.String(), 'When the key ends; null: never. RFC 3339, UTC'),
  allowed_origins: Type.Array(Type.String(), { description: originsText }),
  allowed_addresses: Type.Array(Type.String(), { description: addressesText }),
}

export const KeyObject = Type.Object({
  id: Type.String({ description: 'Names the key in addresses' }),
  name: Type.String({ description: 'Unique among the keys of the user' }),
  scope: Type.String({ description: scopeText }),
  album_id: orNull(Type.String(), 'The only album that the key reaches; null: all'),
  ...limitFields,
  created_at: Timestamp('When the key was made'),
  last_used_at: orNull(Type.String(), 'When the key was last used, to the minute; null: never'),
  last_used_address: orNull(Type.String(), 'From where it was last used'),
})

export const CreatedKeyObject = Type.Object({
  ...KeyObject.properties,
  key: Type.String({ description: 'The key itself. It is shown this once: only its hash is stored.' }),
})

export function writeKey(key: UserKey) {
  return {
    ...{ id: key.id, name: key.name, scope: key.scope, album_id: key.albumId ?? null },
    expires_at: writeTime(key.expiresAt),
    allowed_origins: key.allowedOrigins,
    allowed_addresses: key.allowedAddresses,
    created_at: writeTime(key.createdAt),
    last_used_at: writeTime(key.lastUsedAt),
    last_used_address: key.lastUsedAddress ?? null,
  }
}

export const writeCreatedKey = ({ row, key }: CreatedKey) => ({ ...writeKey(row), key })

const editFields = {
  expires_at: Type.Optional(limitFields.expires_at),
  allowed_origins: Type.Optional(orNull(Type.Array(Type.String()), originsText)),
  allowed_addresses: Type.Optional(orNull(Type.Array(Type.String()), addressesText)),
}

const KeyName = Type.String({ description: '1 to 64 characters, unique among the keys of the user' })

export const NewKeyBody = Type.Object(
  {
    name: KeyName,
    scope: Type.Optional(orNull(Type.String(), `${scopeText}; \`upload\` by default`)),
    album_id: Type.Optional(orNull(Type.String(), 'An album of the user: the key sees and fills it alone')),
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

/** Rules of a key's fields beyond their types. */
export function keyFaults(body: LooseBody): string[] {
  const { name, scope, expires_at: expiresAt, album_id: albumId } = body
  return [
    ...(typeof name === 'string' ? faultLine('name', keyNameFault(name)) : []),
    ...(typeof scope === 'string' && !isScope(scope) ? [`scope: must be one of ${scopes.join(', ')}`] : []),
    ...(typeof expiresAt === 'string' && !readTime(expiresAt)
      ? ['expires_at: must be a time in UTC like 2027-01-31T12:00:00.000Z']
      : []),
    ...(typeof albumId === 'string' && !/^[A-Za-z0-9]{1,64}$/.test(albumId)
      ? ['album_id: must be an album of this user']
      : []),
    ...listFaults(body, 'allowed_origins', { most: maxOrigins, fault: originFault }),
    ...listFaults(body, 'allowed_addresses', { most: maxAddresses, fault: addressFault }),
  ]
}

const isScope = (text: string): text is Scope => (scopes as readonly string[]).includes(text)

const faultLine = (field: string, fault: string | undefined) =>
  fault === undefined ? [] : [`${field}: ${fault}`]

function listFaults(
  body: LooseBody,
  field: string,
  { most, fault }: { most: number; fault: (text: string) => string | undefined },
): string[] {
  const list = body[field]
  if (!Array.isArray(list)) return []
  if (list.length > most) return [`${field}: must have at most ${most} entries, not ${list.length}`]
  return list.flatMap((entry, index) =>
    typeof entry === 'string' ? faultLine(`${field}.${index}`, fault(entry)) : [],
  )
}

export function readNewKey(body: unknown) {
  const { name, scope, album_id: albumId, ...limits } = body as Static<typeof NewKeyBody>
  const { expiresAt, allowedOrigins, allowedAddresses } = readLimits(limits)
  return {
    ...{ name, scope: (scope ?? 'upload') as Scope, albumId: albumId ?? undefined },
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

export const RotateBody = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({ description: 'How long the old secret is still accepted: 0 (the default) to 604800' }),
    ),
  },
  Closed,
)

const longestOverlapSeconds = 604_800

export const rotateFaults = ({ overlap_seconds: seconds }: LooseBody): string[] =>
  typeof seconds === 'number' && (seconds < 0 || seconds > longestOverlapSeconds)
    ? [`overlap_seconds: must be 0 to ${longestOverlapSeconds}, not ${seconds}`]
    : []

export const readOverlap = (body: unknown): number => (body as Static<typeof RotateBody>).overlap_seconds ?? 0
