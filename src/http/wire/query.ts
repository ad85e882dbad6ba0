import { type TObject, Type } from 'typebox'
import { type BrokenRule, broken, type Fault, faultOf } from '../../lib/faults.ts'
import { largestWholeNumber, parseWholeNumber } from '../../lib/sizes.ts'
import { type BoundedSchema, boundFault, Id, Text, Time } from '../fields.ts'

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
  faults: readonly Fault[]
  /** Those of known parameters that were given once. */
  valueFaults: readonly Fault[]
}

/** Reads a query strictly: a parameter that is unknown, given twice, empty or of another type is a fault. */
export function readQuery(schema: TObject | undefined, url: string): ReadQuery {
  const known = (schema?.properties ?? {}) as Readonly<Record<string, ParameterSchema>>
  const values: Record<string, unknown> = {}
  const faults: Fault[] = []
  const valueFaults: Fault[] = []
  const seen = new Set<string>()
  for (const [name, text] of pairsOf(url)) {
    const fault = (rule: BrokenRule) => {
      faults.push({ field: shown(name), in: 'query', ...rule })
      return faults.slice(-1)
    }
    const parameter = Object.hasOwn(known, name) ? known[name] : undefined
    if (seen.has(name)) fault(broken('givenTwice'))
    else if (!parameter) fault(broken('unknownParameter'))
    else if (text === undefined) fault(broken('percentEncoding'))
    else if (text === '') fault(broken('empty'))
    else {
      const read = readValue(parameter, text)
      if ('fault' in read) valueFaults.push(...fault(read.fault))
      else values[name] = read.value
    }
    seen.add(name)
  }
  for (const name of schema?.required ?? [])
    if (!seen.has(name)) faults.push({ ...faultOf(name, 'required'), in: 'query' })
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

type ReadValue = { value: unknown } | { fault: BrokenRule }

function readValue(schema: ParameterSchema, text: string): ReadValue {
  if (schema.type === 'integer') return readInteger(schema, text)
  if (schema.type === 'boolean')
    return text === 'true' || text === 'false' ? { value: text === 'true' } : { fault: broken('trueOrFalse') }
  // PostgreSQL refuses a NUL in a text.
  const fault = text.includes('\0') ? broken('nul') : boundFault(schema, text)
  return fault === undefined ? { value: text } : { fault }
}

function readInteger({ minimum = 0, maximum = largestWholeNumber }: ParameterSchema, text: string) {
  const value = parseWholeNumber(text)
  return value !== undefined && value >= minimum && value <= maximum
    ? { value }
    : { fault: broken('numberRange', { least: minimum, most: maximum }) }
}

/** Cuts a name that the caller made up. */
const shown = (name: string) => (name.length > 80 ? `${name.slice(0, 80)}…` : name)
