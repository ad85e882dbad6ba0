import { normaliseHostname } from '../../lib/net/hosts.ts'
import { valueFault as knownValueFault, locationValues } from '../../site/index.ts'
import { invalidFields } from '../errors.ts'

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
export const tenantIdRule = 'must be 1 to 64 of A-Z a-z 0-9 _ -, a letter or digit first'

const idForm = new RegExp(tenantIdForm)

function idFault(id: string): string | undefined {
  if (!idForm.test(id)) return tenantIdRule
  return harmfulIds.has(id.toLowerCase()) ? `"${id}" is reserved` : undefined
}

/** Whether a tenant or plan can have this id; no other text needs a query. */
export const isId = (id: string): boolean => idFault(id) === undefined

export const maxValues = 200
export const maxValueBytes = 4_000
const nameForm = /^[A-Z][A-Z0-9_]{0,63}$/

/** All faults of names and values, for every level on which values are set. */
export function valuesFaults(values: LooseValues): string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const fault = nameForm.test(name) ? valueFault(name, String(value)) : 'must be a name of A-Z 0-9 _'
    return faultOf(name.slice(0, 80), fault)
  })
}

function mapFaults(field: string, values: LooseValues): string[] {
  const count = Object.keys(values).length
  if (count > maxValues) return [`${field}: must have at most ${maxValues} entries, not ${count}`]
  const open = field === 'limits' ? locationValues.filter((name) => Object.hasOwn(values, name)) : []
  return [
    ...open.map((name) => `${field}.${name}: must be set in env, which is stored encrypted`),
    ...valuesFaults(values).map((fault) => `${field}.${fault}`),
  ]
}

function valueFault(name: string, value: string): string | undefined {
  const bytes = Buffer.byteLength(value)
  if (bytes > maxValueBytes) return `must be at most ${maxValueBytes} bytes long, not ${bytes}`
  if (value.includes('\0')) return 'must not contain a NUL character'
  return knownValueFault(name, value)
}

export interface Fields {
  id?: string | undefined
  hostname?: string | undefined
  limits?: LooseValues | undefined
  env?: LooseValues | undefined
}

/** All faults of the fields, each with its field's name. */
export function fieldFaults({ id, hostname, limits, env }: Fields): string[] {
  return [
    ...faultOf('id', id === undefined ? undefined : idFault(id)),
    ...faultOf('hostname', hostname === undefined ? undefined : hostnameFault(hostname)),
    ...(limits ? mapFaults('limits', limits) : []),
    ...(env ? mapFaults('env', env) : []),
  ]
}

const hostnameFault = (hostname: string) =>
  normaliseHostname(hostname) === undefined ? 'must be a DNS name' : undefined

/** The fields as they are stored: host name normalised, values as text. A refusal names all faults. */
export function checkedFields(fields: Fields) {
  const faults = fieldFaults(fields)
  if (faults.length > 0) throw invalidFields(faults)
  const hostname = fields.hostname === undefined ? undefined : normaliseHostname(fields.hostname)
  return { hostname, limits: fields.limits && asText(fields.limits), env: fields.env && asText(fields.env) }
}

const faultOf = (field: string, fault: string | undefined) =>
  fault === undefined ? [] : [`${field}: ${fault}`]

const asText = (values: LooseValues): Values =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))

/** Ids that differ only in case are equal. */
export const keyOfId = (id: string): string => id.toLowerCase()
