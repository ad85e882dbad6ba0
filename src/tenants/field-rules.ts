import { normaliseHostname } from '../lib/hosts.ts'
import { valueFault as knownValueFault, placeValues } from '../site/index.ts'
import { invalidFields } from './errors.ts'

export type Values = Readonly<Record<string, string>>
/** As callers send them: numbers and booleans are kept as their text. */
export type LooseValues = Readonly<Record<string, string | number | boolean>>

/** Names that would mean something to a map or a path, on some system at least. */
const harmfulIds = new Set([
  ...['aux', 'con', 'nul', 'prn', ...[...'123456789'].flatMap((digit) => [`com${digit}`, `lpt${digit}`])],
  'constructor',
  'hasownproperty',
  'isprototypeof',
  'propertyisenumerable',
  'prototype',
  'tolocalestring',
  'tostring',
  'valueof',
])

const idForm = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

function idFault(id: string): string | undefined {
  if (!idForm.test(id)) return 'must be 1 to 64 of A-Z a-z 0-9 _ -, a letter or digit first'
  return harmfulIds.has(id.toLowerCase()) ? `"${id}" is reserved` : undefined
}

/** Whether a tenant or plan could have this id; what could not need not be looked for. */
export const isId = (id: string): boolean => idFault(id) === undefined

const mostValues = 200
const mostValueBytes = 4_000
const nameForm = /^[A-Z][A-Z0-9_]{0,63}$/

/** What is wrong with names and values, wherever they are set. */
export function valuesFaults(values: LooseValues): string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const fault = nameForm.test(name) ? valueFault(name, String(value)) : 'must be a name of A-Z 0-9 _'
    return faultOf(name.slice(0, 80), fault)
  })
}

function mapFaults(field: string, values: LooseValues): string[] {
  const count = Object.keys(values).length
  if (count > mostValues) return [`${field}: must have at most ${mostValues} entries, not ${count}`]
  const open = field === 'limits' ? placeValues.filter((name) => Object.hasOwn(values, name)) : []
  return [
    ...open.map((name) => `${field}.${name}: must stand in env, where it is kept encrypted`),
    ...valuesFaults(values).map((fault) => `${field}.${fault}`),
  ]
}

function valueFault(name: string, value: string): string | undefined {
  const bytes = Buffer.byteLength(value)
  if (bytes > mostValueBytes) return `must be at most ${mostValueBytes} bytes long, not ${bytes}`
  if (value.includes('\0')) return 'must not hold a NUL character'
  return knownValueFault(name, value)
}

export interface Fields {
  id?: string | undefined
  hostname?: string | undefined
  limits?: LooseValues | undefined
  env?: LooseValues | undefined
}

/** Everything that is wrong with the fields, each fault with its field's name. */
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

/** The fields as they are stored: host name in its one spelling, values as text. All faults are told at once. */
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

/** Ids that differ only in case are the same. */
export const keyOfId = (id: string): string => id.toLowerCase()
