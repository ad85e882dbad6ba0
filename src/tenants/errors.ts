import { Refusal } from '../lib/refusal.ts'

export const tenantNotFound = () => new Refusal('not-found', 'tenant-not-found', 'Tenant not found')
export const planNotFound = () => new Refusal('not-found', 'plan-not-found', 'Tenant plan not found')

export const tenantExists = (id: string) =>
  new Refusal('conflict', 'tenant-exists', `There is already a tenant "${id}".`)

export const planExists = (id: string) =>
  new Refusal('conflict', 'plan-exists', `There is already a plan "${id}".`)

export const hostnameTaken = (hostname: string) =>
  new Refusal('conflict', 'hostname-taken', `The hostname "${hostname}" belongs to another tenant.`)

export const unknownPlan = (id: string) =>
  new Refusal('conflict', 'unknown-plan', `There is no plan "${id}".`)

export const alreadyInstalled = (id: string) =>
  new Refusal('conflict', 'already-installed', `The tenant "${id}" is already installed.`)

export const notInstalled = () =>
  new Refusal('unavailable', 'not-installed', 'This site is being prepared. Try again shortly.')

export const invalidFields = (list: readonly string[]) =>
  new Refusal('invalid', 'invalid-fields', list.join('; '), { list })

export const cannotReseal = (owners: readonly string[]) =>
  new Refusal(
    'unavailable',
    'cannot-decrypt',
    `What is stored encrypted for ${owners.slice(0, 20).join(', ')} cannot be decrypted here. Set it anew, then repeat this.`,
  )
