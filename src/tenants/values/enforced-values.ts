import { type Fault, faultOf, lineOf } from '../../lib/faults.ts'
import { parseJsonObject } from '../../lib/strict-json.ts'
import type { SiteValues } from '../../site/index.ts'
import { valuesFaults } from './field-rules.ts'

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
