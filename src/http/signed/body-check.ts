import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Settings } from 'typebox/system'
import { Refusal } from '../../lib/refusal.ts'
import type { Endpoint, LooseBody } from '../endpoint.ts'
import { type BoundedSchema, boundFault } from '../fields.ts'

/** Validates bodies against a schema. */
export interface BodyCheck {
  readonly isRequired: boolean
  /** Throws a refusal that lists every fault, including those found while the JSON was parsed. */
  run(body: LooseBody, readingFaults: readonly string[]): void
}

interface Fault {
  keyword: string
  schemaPath: string
  instancePath: string
  params: Record<string, unknown>
}

// TypeBox reports eight errors by default; the caller should get all of them at once.
Settings.Set({ maxErrors: 2_000 })

export function bodyCheckOf(schema: TSchema, faultsOf: Endpoint['bodyFaults'] = () => []): BodyCheck {
  // Compiled for the first body: the schemas of all routes together would take 40 ms of CPU at each start.
  let compiled: Validator | undefined
  const validator = () => (compiled ??= Compile(schema))
  return {
    get isRequired() {
      return !validator().Check({})
    },
    run(body, readingFaults) {
      const isValid = validator().Check(body)
      const faults = isValid ? [] : (validator().Errors(body) as unknown as Fault[])
      const formFaults = faultLines(faults)
      const reported = [...formFaults, ...withoutFieldsOf(formFaults, readingFaults)]
      const rules = withoutFieldsOf(reported, faultsOf(body))
      // A rule of a room says more of a field than its bounds do.
      const bounds = withoutFieldsOf([...reported, ...rules], boundLines(faults, schema, body))
      const list = [...reported, ...bounds, ...rules]
      if (!isValid && list.length === 0) list.push('The body does not have the form that is expected here')
      if (list.length === 0) return
      throw new Refusal('invalid', 'invalid-body', list.join('; '), { list })
    },
  }
}

/** Drops lines about fields that have a line already: a field with a wrong type would be reported twice. */
function withoutFieldsOf(reported: readonly string[], lines: readonly string[]): readonly string[] {
  if (reported.length === 0) return lines
  const fields = new Set(reported.map(fieldOfLine))
  return lines.filter((line) => !fields.has(fieldOfLine(line)))
}

const fieldOfLine = (line: string) => line.slice(0, line.indexOf(': '))

const boundKeywords: ReadonlySet<string> = new Set([
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'enum',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'maxProperties',
])

/** One line for each field that breaks a bound. */
function boundLines(faults: readonly Fault[], schema: TSchema, body: LooseBody): string[] {
  const lines = new Map<string, string>()
  for (const { keyword, schemaPath, instancePath } of faults) {
    const field = fieldOf(instancePath)
    if (!boundKeywords.has(keyword) || lines.has(field)) continue
    const fault = boundFault(partAt(schema, schemaPath) as BoundedSchema, partAt(body, instancePath))
    lines.set(field, `${field}: ${fault ?? `breaks ${keyword}`}`)
  }
  return [...lines.values()]
}

/** One line for each field that is missing, unknown or of another type. */
function faultLines(faults: readonly Fault[]): string[] {
  const lines = new Set<string>()
  const types = new Map<string, string[]>()
  const bounded = new Set<string>()
  for (const { keyword, instancePath, params } of faults) {
    const field = fieldOf(instancePath)
    if (boundKeywords.has(keyword)) bounded.add(field)
    if (keyword === 'required')
      for (const name of names(params.requiredProperties)) lines.add(`${name}: is required`)
    // No other schema is `false`. The summary of all unknown fields is lost behind 2,000 of them.
    if (keyword === 'boolean') lines.add(`${lastOf(instancePath)}: is not a known field`)
    if (keyword === 'minProperties')
      lines.add(
        params.limit === 1
          ? 'At least one field must be given'
          : `At least ${params.limit} fields must be given`,
      )
    if (keyword === 'type') types.set(field, [...(types.get(field) ?? []), String(params.type)])
  }
  for (const [field, expected] of types) {
    // If only "null" was expected, the value matched the other branch of the union and has a fault inside.
    if (bounded.has(field) || expected.every((type) => type === 'null')) continue
    lines.add(`${field}: must be ${[...new Set(expected)].map(articled).join(' or ')}`)
  }
  return [...lines]
}

/** The part of a schema or body at a JSON pointer. */
function partAt(whole: unknown, pointer: string): unknown {
  const names = pointer.split('/').slice(1)
  return names.reduce(
    (part, name) => (part as Readonly<Record<string, unknown>> | undefined)?.[plain(name)],
    whole,
  )
}

const names = (value: unknown) => (Array.isArray(value) ? value.map(String) : [])

const fieldOf = (path: string) => shown(path.slice(1).split('/').join('.'))

const lastOf = (path: string) => shown(path.split('/').at(-1) ?? '')

/** In plain form, and cut: the caller may have made it up. */
function shown(name: string): string {
  const text = plain(name)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

const plain = (name: string) => name.replaceAll('~1', '/').replaceAll('~0', '~')

const articled = (type: string) =>
  type === 'null' ? 'null' : /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
