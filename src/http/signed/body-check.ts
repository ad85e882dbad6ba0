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
      const schemaFaults = isValid
        ? []
        : faultLines(validator().Errors(body) as unknown as Fault[], schema, body)
      const parsingFaults = withoutFieldsOf(schemaFaults, readingFaults)
      const reported = [...schemaFaults, ...parsingFaults]
      const list = [...reported, ...withoutFieldsOf(reported, faultsOf(body))]
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
  ...['minLength', 'maxLength', 'pattern', 'format', 'enum', 'minItems', 'maxItems'],
])

/** One line for each field. */
function faultLines(faults: readonly Fault[], schema: TSchema, body: LooseBody): string[] {
  const lines = new Set<string>()
  const types = new Map<string, string[]>()
  const bounds = new Map<string, string>()
  for (const { keyword, schemaPath, instancePath, params } of faults) {
    const field = fieldOf(instancePath)
    if (boundKeywords.has(keyword) && !bounds.has(field))
      bounds.set(
        field,
        boundFault(partAt(schema, schemaPath) as BoundedSchema, partAt(body, instancePath)) ??
          `breaks ${keyword}`,
      )
    if (keyword === 'required')
      for (const name of names(params.requiredProperties)) lines.add(`${name}: is required`)
    // No other schema is `false`. The summary of all unknown fields is lost behind 2,000 of them.
    if (keyword === 'boolean') lines.add(`${lastOf(instancePath)}: is not a known field`)
    if (keyword === 'minimum') lines.add(`${field}: must be at least ${params.limit}`)
    if (keyword === 'maximum') lines.add(`${field}: must be at most ${params.limit}`)
    if (keyword === 'minProperties')
      lines.add(
        params.limit === 1
          ? 'At least one field must be given'
          : `At least ${params.limit} fields must be given`,
      )
    if (keyword === 'type') types.set(field, [...(types.get(field) ?? []), String(params.type)])
  }
  for (const [field, fault] of bounds) lines.add(`${field}: ${fault}`)
  for (const [field, expected] of types) {
    // If only "null" was expected, the value matched the other branch of the union and has a fault inside.
    if (bounds.has(field) || expected.every((type) => type === 'null')) continue
    lines.add(`${field}: must be ${[...new Set(expected)].map(articled).join(' or ')}`)
  }
  return lines.size === 0 ? ['The body does not have the form that is expected here'] : [...lines]
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
