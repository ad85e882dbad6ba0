import { detailOf } from '../lib/faults.ts'
import { defaultValues, renamedValues, type SiteValues, switchFault, valueFault } from './values.ts'

/** The site values that the environment of the process sets. Only those: the rest of it must not reach a tenant. */
export function siteValuesOf(
  environment: Readonly<Record<string, string | undefined>>,
  faults: string[],
): SiteValues {
  const values = new Map<string, string>()
  const oldNames = [...renamedValues].filter(([old]) => Object.hasOwn(environment, old))
  const names = [...defaultValues.keys()].map((name) => [name, name] as const)
  for (const [name, target] of [...oldNames, ...names]) {
    const value = environment[name]?.trim() || undefined
    if (value === undefined) continue
    const fault = valueFault(target, value) ?? switchFault(target, value)
    if (fault !== undefined) faults.push(`${name}: ${detailOf(fault)}`)
    values.set(target, value)
  }
  return values
}
