import { type BrokenRule, broken, type Fault, faultOf, faultsIf, lineOf } from '../../lib/faults.ts'
import type { KeyRing } from '../../lib/key-ring.ts'
import { normaliseHostname } from '../../lib/net/hosts.ts'
import { invalidFields, Refusal } from '../../lib/refusal.ts'
import { parseJsonObject } from '../../lib/strict-json.ts'
import { valueFault as knownValueFault, locationValues, type SiteValues } from '../../site/index.ts'

export type Values = Readonly<Record<string, string>>
/** As callers send them: numbers and booleans are stored as text. */
export type LooseValues = Readonly<Record<string, string | number | boolean>>

/** Property names of JavaScript objects and device names of Windows. */
const harmfulIds = new Set([
  'aux',
  'con',
  'nul',
  'prn',
  ...[...'123456789'].flatMap((digit) => [`com${digit}`, `lpt${digit}`]),
  'constructor',
  'hasownproperty',
  'isprototypeof',
  'propertyisenumerable',
  'prototype',
  'tolocalestring',
  'tostring',
  'valueof',
])

export const tenantIdForm = '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$'

const idForm = new RegExp(tenantIdForm)

function idFault(id: string): BrokenRule | undefined {
  if (!idForm.test(id)) return broken('tenantId')
  return harmfulIds.has(id.toLowerCase()) ? broken('reservedId', { id }) : undefined
}

/** Whether a tenant or plan can have this id; no other text needs a query. */
export const isId = (id: string): boolean => idFault(id) === undefined

export const maxValues = 200
export const maxValueBytes = 4_000
const nameForm = /^[A-Z][A-Z0-9_]{0,63}$/

/** All faults of names and values, for every level on which values are set. */
function valuesFaults(values: LooseValues): Fault[] {
  return Object.entries(values).flatMap(([name, value]) =>
    faultsIf(name.slice(0, 80), nameForm.test(name) ? valueFault(name, String(value)) : broken('valueName')),
  )
}

function mapFaults(field: string, values: LooseValues): Fault[] {
  const count = Object.keys(values).length
  if (count > maxValues) return [faultOf(field, 'mostEntries', { most: maxValues, count })]
  const open = field === 'limits' ? locationValues.filter((name) => Object.hasOwn(values, name)) : []
  return [
    ...open.map((name) => faultOf(`${field}.${name}`, 'valueInEnv')),
    ...valuesFaults(values).map((fault) => ({ ...fault, field: `${field}.${fault.field}` })),
  ]
}

function valueFault(name: string, value: string): BrokenRule | undefined {
  const bytes = Buffer.byteLength(value)
  if (bytes > maxValueBytes) return broken('bytes', { most: maxValueBytes, bytes })
  if (value.includes('\0')) return broken('nul')
  return knownValueFault(name, value)
}

export interface Fields {
  id?: string | undefined
  hostname?: string | undefined
  limits?: LooseValues | undefined
  env?: LooseValues | undefined
}

/** All faults of the fields, each with its field's name. */
export function fieldFaults({ id, hostname, limits, env }: Fields): Fault[] {
  return [
    ...faultsIf('id', id === undefined ? undefined : idFault(id)),
    ...faultsIf('hostname', hostname === undefined ? undefined : hostnameFault(hostname)),
    ...(limits ? mapFaults('limits', limits) : []),
    ...(env ? mapFaults('env', env) : []),
  ]
}

const hostnameFault = (hostname: string) =>
  normaliseHostname(hostname) === undefined ? broken('hostname') : undefined

/** The fields as they are stored: hostname normalised, values as text. A refusal names all faults. */
export function checkedFields(fields: Fields) {
  const faults = fieldFaults(fields)
  if (faults.length > 0) throw invalidFields(faults, 'invalid-fields')
  const hostname = fields.hostname === undefined ? undefined : normaliseHostname(fields.hostname)
  return { hostname, limits: fields.limits && asText(fields.limits), env: fields.env && asText(fields.env) }
}

const asText = (values: LooseValues): Values =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))

/** Ids that differ only in case are equal. */
export const keyOfId = (id: string): string => id.toLowerCase()

/** The owner of encrypted values, authenticated with them: they cannot be decrypted for another owner. */
export type Owner = `tenant ${string}` | `plan ${string}` | `place of site ${number}`

/** `null` for an empty set of values. */
export function sealValues(keyRing: KeyRing, owner: Owner, values: Values): string | null {
  return Object.keys(values).length === 0 ? null : keyRing.seal(JSON.stringify(values), owner)
}

export function unsealValues(keyRing: KeyRing, owner: Owner, sealed: string | null): Values {
  return sealed === null ? {} : JSON.parse(keyRing.unseal(sealed, owner))
}

/**
 * What the audit log takes the names from, and lists of many the values. An `env` that no key decrypts has none: it must not
 * stop the edit that sets it again, nor the deletion, nor hide all others of a list.
 */
export function readableValues(keyRing: KeyRing, owner: Owner, sealed: string | null): Values {
  try {
    return unsealValues(keyRing, owner, sealed)
  } catch (error) {
    return undefinedIfUnreadable(error) ?? {}
  }
}

/** For callers that go on without what no key decrypts. */
export function undefinedIfUnreadable(error: unknown): undefined {
  if (!(error instanceof Refusal) || error.code !== 'cannot-decrypt') throw error
}

/** Repeats a read whose decryption fails: the keys may have been rotated between the read and the decryption. */
export async function readSealed<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Refusal && error.code === 'cannot-decrypt') return read()
    throw error
  }
}

/** Values that no tenant or plan can change, as the operator's setting has them: a JSON object. */
export function parseEnforced(value: string): SiteValues {
  const values = Object.entries(parseJsonObject(Buffer.from(value), 'the value'))
  const faults = values.flatMap(([name, entry]) => enforcedFaults(name, entry))
  if (faults.length > 0) throw new Error(faults.map(lineOf).join('; '))
  return new Map(values.map(([name, entry]) => [name, String(entry)]))
}

function enforcedFaults(name: string, entry: unknown): Fault[] {
  if (typeof entry === 'string' || typeof entry === 'number' || typeof entry === 'boolean')
    return valuesFaults({ [name]: entry })
  return [faultOf(name, 'type', { types: ['string', 'number', 'boolean'] })]
}
