import { type Control, recordControlChange } from '../../control/index.ts'
import { isSecretLevel, type LeveledValue, readValues, type TenantValues } from './leveled-values.ts'

/** The values of a tenant, to be shown with those that are secret. The log names what was revealed, before it is. */
export async function revealEnv(control: Control, id: string): Promise<TenantValues> {
  const found = await readValues(control, id)
  const env = Object.fromEntries(found.values.filter(hasSecret).map(({ name }) => [name, '']))
  await control.store.changeControl((db) =>
    recordControlChange(control, db, { verb: 'env.revealed', target: found.tenant.id, after: { env } }),
  )
  return found
}

const hasSecret = ({ name, levels }: LeveledValue): boolean =>
  [...levels.keys()].some((level) => isSecretLevel(level, name))
