import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Settings } from 'typebox/system'
import { broken, type Fault, faultOf } from '../../lib/faults.ts'
import { invalidFields } from '../../lib/refusal.ts'
import type { Endpoint, LooseBody } from '../endpoint.ts'
import { type BoundedSchema, boundFault } from '../fields.ts'

/** Validates bodies against a schema. */
export interface BodyCheck {
  readonly isRequired: boolean
  /** Throws a refusal with every fault, including those found while the JSON was parsed. */
  run(body: LooseBody, readingFaults: readonly Fault[]): void
}

/** As the validator reports it. */
interface SchemaError {
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
      const errors = isValid ? [] : (validator().Errors(body) as unknown as SchemaError[])
      const ofForm = formFaults(errors)
      const reported = [...ofForm, ...withoutFieldsOf(ofForm, readingFaults)]
      const rules = withoutFieldsOf(reported, faultsOf(body))
      // A rule of a room says more of a field than its bounds do.
      const bounds = withoutFieldsOf([...reported, ...rules], boundFaults(errors, schema, body))
      const faults = [...reported, ...bounds, ...rules]
      if (!isValid && faults.length === 0) faults.push(faultOf('', 'bodyForm'))
      if (faults.length > 0) throw invalidFields(faults, 'invalid-body')
    },
  }
}

/** Drops faults of fields that have one already: a field with a wrong type would be reported twice. */
function withoutFieldsOf(reported: readonly Fault[], faults: readonly Fault[]): readonly Fault[] {
  if (reported.length === 0) return faults
  const fields = new Set(reported.map(({ field }) => field))
  return faults.filter(({ field }) => !fields.has(field))
}

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

/** One fault for each field that breaks a bound. */
function boundFaults(errors: readonly SchemaError[], schema: TSchema, body: LooseBody): Fault[] {
  const faults = new Map<string, Fault>()
  for (const { keyword, schemaPath, instancePath } of errors) {
    const field = fieldOf(instancePath)
    if (!boundKeywords.has(keyword) || faults.has(field)) continue
    const rule = boundFault(partAt(schema, schemaPath) as BoundedSchema, partAt(body, instancePath))
    faults.set(field, { field, ...(rule ?? broken('keyword', { keyword })) })
  }
  return [...faults.values()]
}

/** One fault for each field that is missing, unknown or of another type. */
function formFaults(errors: readonly SchemaError[]): Fault[] {
  const faults = new Map<string, Fault>()
  const add = (fault: Fault) => faults.set(`${fault.code} ${fault.field}`, fault)
  const types = new Map<string, string[]>()
  const bounded = new Set<string>()
  for (const { keyword, instancePath, params } of errors) {
    const field = fieldOf(instancePath)
    if (boundKeywords.has(keyword)) bounded.add(field)
    if (keyword === 'required')
      for (const name of names(params.requiredProperties)) add(faultOf(name, 'required'))
    // No other schema is `false`. The summary of all unknown fields is lost behind 2,000 of them.
    if (keyword === 'boolean') add(faultOf(lastOf(instancePath), 'unknownField'))
    if (keyword === 'minProperties') add(faultOf('', 'noField', { least: Number(params.limit) }))
    if (keyword === 'type') types.set(field, [...(types.get(field) ?? []), String(params.type)])
  }
  for (const [field, expected] of types) {
    // If only "null" was expected, the value matched the other branch of the union and has a fault inside.
    if (bounded.has(field) || expected.every((type) => type === 'null')) continue
    add(faultOf(field, 'type', { types: [...new Set(expected)] }))
  }
  return [...faults.values()]
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
