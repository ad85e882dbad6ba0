import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Settings } from 'typebox/system'
import { Refusal } from '../../lib/refusal.ts'
import type { Endpoint, LooseBody } from '../endpoint.ts'

/** Validates bodies against a schema. */
export interface BodyCheck {
  readonly isRequired: boolean
  /** Throws a refusal that lists every fault, including those found while the JSON was parsed. */
  run(body: LooseBody, readingFaults: readonly string[]): void
}

interface Fault {
  keyword: string
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
      const schemaFaults = isValid ? [] : faultLines(validator().Errors(body) as unknown as Fault[])
      const parsingFaults = withoutFieldsOf(schemaFaults, readingFaults)
      const list = [...schemaFaults, ...parsingFaults, ...withoutFieldsOf(parsingFaults, faultsOf(body))]
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

/** One line for each field. */
function faultLines(faults: readonly Fault[]): string[] {
  const lines = new Set<string>()
  const types = new Map<string, string[]>()
  for (const { keyword, instancePath, params } of faults) {
    const field = fieldOf(instancePath)
    if (keyword === 'required')
      for (const name of names(params.requiredProperties)) lines.add(`${name}: is required`)
    // No other schema is `false`. The summary of all unknown fields is lost behind 2,000 of them.
    if (keyword === 'boolean') lines.add(`${lastOf(instancePath)}: is not a known field`)
    if (keyword === 'minimum') lines.add(`${field}: must be at least ${params.limit}`)
    if (keyword === 'maximum') lines.add(`${field}: must be at most ${params.limit}`)
    if (keyword === 'minLength') lines.add(`${field}: must be at least ${params.limit} characters long`)
    if (keyword === 'maxLength') lines.add(`${field}: must be at most ${params.limit} characters long`)
    if (keyword === 'minProperties') lines.add('At least one field must be given')
    if (keyword === 'type') types.set(field, [...(types.get(field) ?? []), String(params.type)])
  }
  for (const [field, expected] of types) {
    // If only "null" was expected, the value matched the other branch of the union and has a fault inside.
    if (expected.every((type) => type === 'null')) continue
    lines.add(`${field}: must be ${[...new Set(expected)].map(articled).join(' or ')}`)
  }
  return lines.size === 0 ? ['The body does not have the form that is expected here'] : [...lines]
}

const names = (value: unknown) => (Array.isArray(value) ? value.map(String) : [])

const fieldOf = (path: string) => shown(path.slice(1).split('/').join('.'))

const lastOf = (path: string) => shown(path.split('/').at(-1) ?? '')

/** In plain form, and cut: the caller may have made it up. */
function shown(name: string): string {
  const plain = name.replaceAll('~1', '/').replaceAll('~0', '~')
  return plain.length > 80 ? `${plain.slice(0, 80)}…` : plain
}

const articled = (type: string) =>
  type === 'null' ? 'null' : /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
