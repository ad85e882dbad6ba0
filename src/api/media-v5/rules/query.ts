import { type TObject, Type } from 'typebox'
import { type BoundedSchema, boundFault, Id, Text, Time } from '../../../http/fields.ts'
import type { RequestFault } from '../../../lib/refusal.ts'
import { largestWholeNumber, parseWholeNumber } from '../../../lib/sizes.ts'

interface ParameterSchema extends BoundedSchema {
  type?: string
}

/** Parameters of a query. Each has a bound, which `readQuery` checks; none may be empty. */
export const textParameter = (description: string, most: number) =>
  Type.Optional(Text({ least: 1, most, description }))
export const idParameter = (description: string) => Type.Optional(Id(description))
export const wordParameter = (words: readonly string[], description: string, usual?: string) =>
  Type.Optional(
    Type.String({ enum: [...words], description, ...(usual !== undefined && { default: usual }) }),
  )
export const timeParameter = (description: string) =>
  Type.Optional(Time(`${description}; RFC 3339, UTC, without that moment itself`))
export const yesNoParameter = (description: string) =>
  Type.Optional(Type.Boolean({ enum: [true, false], description }))

export interface ReadQuery {
  values: Readonly<Record<string, unknown>>
  faults: readonly RequestFault[]
  /** Those of known parameters that were given once. */
  valueFaults: readonly RequestFault[]
}

/** Reads a query strictly: a parameter that is unknown, given twice, empty or of another type is a fault. */
export function readQuery(schema: TObject | undefined, url: string): ReadQuery {
  const known = (schema?.properties ?? {}) as Readonly<Record<string, ParameterSchema>>
  const values: Record<string, unknown> = {}
  const faults: RequestFault[] = []
  const valueFaults: RequestFault[] = []
  const seen = new Set<string>()
  for (const [name, text] of pairsOf(url)) {
    const fault = (detail: string) => {
      faults.push({ in: 'query', name: shown(name), detail })
      return faults.slice(-1)
    }
    const parameter = Object.hasOwn(known, name) ? known[name] : undefined
    if (seen.has(name)) fault('is given twice')
    else if (!parameter) fault('is not a known parameter')
    else if (text === undefined) fault('is not valid percent-encoded UTF-8')
    else if (text === '') fault('must not be empty')
    else {
      const read = readValue(parameter, text)
      if ('fault' in read) valueFaults.push(...fault(read.fault))
      else values[name] = read.value
    }
    seen.add(name)
  }
  for (const name of schema?.required ?? [])
    if (!seen.has(name)) faults.push({ in: 'query', name, detail: 'is required' })
  return { values, faults, valueFaults }
}

/** A value that is not valid UTF-8 is undefined. */
function pairsOf(url: string): [string, string | undefined][] {
  const start = url.indexOf('?')
  const query = start === -1 ? '' : url.slice(start + 1)
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...rest] = pair.split('=')
      return [decoded(name) ?? name, decoded(rest.join('='))]
    })
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

type ReadValue = { value: unknown } | { fault: string }

function readValue(schema: ParameterSchema, text: string): ReadValue {
  if (schema.type === 'integer') return readInteger(schema, text)
  if (schema.type === 'boolean')
    return text === 'true' || text === 'false'
      ? { value: text === 'true' }
      : { fault: 'must be true or false' }
  // PostgreSQL refuses a NUL in a text.
  const fault = text.includes('\0') ? 'must not contain NUL' : boundFault(schema, text)
  return fault === undefined ? { value: text } : { fault }
}

function readInteger({ minimum = 0, maximum = largestWholeNumber }: ParameterSchema, text: string) {
  const value = parseWholeNumber(text)
  return value !== undefined && value >= minimum && value <= maximum
    ? { value }
    : { fault: `must be a whole number from ${minimum} to ${maximum}` }
}

/** Cuts a name that the caller made up. */
const shown = (name: string) => (name.length > 80 ? `${name.slice(0, 80)}…` : name)
