import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Settings } from 'typebox/system'
import { Refusal } from '../../lib/refusal.ts'
import type { Endpoint, LooseBody } from '../endpoint.ts'

/** Holds bodies against a schema. */
export interface BodyCheck {
  isRequired: boolean
  /** Throws a refusal that names every fault. */
  run(body: LooseBody): void
}

interface Fault {
  keyword: string
  instancePath: string
  params: Record<string, unknown>
}

// The default stops after eight, and a caller would mend those to be told of eight more.
Settings.Set({ maxErrors: 2_000 })

const mostShown = 300

export function bodyCheckOf(schema: TSchema, faultsOf: Endpoint['bodyFaults'] = () => []): BodyCheck {
  const validator = Compile(schema)
  return {
    isRequired: !validator.Check({}),
    run(body) {
      const isOfForm = validator.Check(body)
      const ofForm = isOfForm ? [] : tellFaults(validator.Errors(body) as unknown as Fault[])
      const all = [...ofForm, ...faultsOf(body)]
      if (all.length === 0) return
      const list = all.length <= mostShown ? all : [...all.slice(0, mostShown), 'There are more faults']
      throw new Refusal('invalid', 'invalid-body', list.join('; '), { list })
    },
  }
}

/** One line a field, in our own words. */
function tellFaults(faults: readonly Fault[]): string[] {
  const lines = new Set<string>()
  const types = new Map<string, string[]>()
  for (const { keyword, instancePath, params } of faults) {
    const field = fieldOf(instancePath)
    if (keyword === 'required')
      for (const name of names(params.requiredProperties)) lines.add(`${name}: is required`)
    if (keyword === 'additionalProperties') {
      for (const name of names(params.additionalProperties)) lines.add(`${shown(name)}: is not a known field`)
    }
    if (keyword === 'minProperties') lines.add('At least one field must be given')
    if (keyword === 'type') types.set(field, [...(types.get(field) ?? []), String(params.type)])
  }
  for (const [field, expected] of types) {
    // "Or null" alone is left where the other form was right and its inside was not.
    if (expected.every((type) => type === 'null')) continue
    lines.add(`${field}: must be ${[...new Set(expected)].map(articled).join(' or ')}`)
  }
  return lines.size === 0 ? ['The body does not have the form that is expected here'] : [...lines]
}

const names = (value: unknown) => (Array.isArray(value) ? value.map(String) : [])

const fieldOf = (path: string) =>
  shown(path.slice(1).split('/').join('.').replaceAll('~1', '/').replaceAll('~0', '~'))

/** A name that a caller made up is told back in a length that can be read. */
const shown = (name: string) => (name.length > 80 ? `${name.slice(0, 80)}…` : name)

const articled = (type: string) =>
  type === 'null' ? 'null' : type === 'object' || type === 'array' ? `an ${type}` : `a ${type}`
