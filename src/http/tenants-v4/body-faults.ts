import { accountFaults } from '../../accounts/index.ts'
import { fieldFaults, type LooseValues } from '../../tenants/index.ts'
import type { LooseBody } from '../endpoint.ts'

/**
 * The rules of the rooms, asked beforehand so that one answer names every fault. They see only what has
 * the type that they expect: all else is told by the schema.
 */
export const tenantFaults = ({ id, hostname, limits, env }: LooseBody): string[] =>
  fieldFaults({ id: text(id), hostname: text(hostname), limits: values(limits), env: values(env) })

export const installFaults = ({ username, email, password }: LooseBody): string[] =>
  accountFaults({ username: text(username), email: text(email), password: text(password) })

/** Any user name may be asked for; it is there or not. */
export const passwordFaults = ({ password }: LooseBody): string[] =>
  accountFaults({ password: text(password) })

const text = (value: unknown) => (typeof value === 'string' ? value : undefined)

function values(value: unknown): LooseValues | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => typeof entry !== 'object'))
}
