import { accountFaults } from '../../accounts/index.ts'
import type { LooseBody } from '../../http/endpoint.ts'
import type { Fault } from '../../lib/faults.ts'
import { fieldFaults, type LooseValues } from '../../tenants/index.ts'

/**
 * Runs the rules of the rooms before the handler, so that one response names every fault. They get only values of the
 * type that they expect; the schema reports the others.
 */
export const tenantFaults = ({ id, hostname, limits, env }: LooseBody): Fault[] =>
  fieldFaults({ id: text(id), hostname: text(hostname), limits: values(limits), env: values(env) })

export const installFaults = ({ username, email, password }: LooseBody): Fault[] =>
  accountFaults({ username: text(username), email: text(email), password: text(password) })

/** The user name has no rule: an unknown one is 404. */
export const passwordFaults = ({ password }: LooseBody): Fault[] =>
  accountFaults({ password: text(password) })

const text = (value: unknown) => (typeof value === 'string' ? value : undefined)

function values(value: unknown): LooseValues | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => typeof entry !== 'object'))
}
