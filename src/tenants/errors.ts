import { Refusal } from '../lib/refusal.ts'

export const tenantNotFound = () => new Refusal('not-found', 'tenant-not-found', 'Tenant not found')
export const planNotFound = () => new Refusal('not-found', 'plan-not-found', 'Tenant plan not found')

export const tenantExists = (id: string) =>
  new Refusal('conflict', 'tenant-exists', `There is already a tenant "${id}".`)

export const planExists = (id: string) =>
  new Refusal('conflict', 'plan-exists', `There is already a plan "${id}".`)

export const hostnameTaken = (hostname: string) =>
  new Refusal('conflict', 'hostname-taken', `The hostname "${hostname}" belongs to another tenant.`)

export const tenantChanged = (id: string) =>
  new Refusal('conflict', 'tenant-changed', `The tenant "${id}" has been changed meanwhile.`)

export const planChanged = (id: string) =>
  new Refusal('conflict', 'plan-changed', `The plan "${id}" has been changed meanwhile.`)

export const unknownPlan = (id: string) =>
  new Refusal('conflict', 'unknown-plan', `There is no plan "${id}".`)

export const alreadyInstalled = (id: string) =>
  new Refusal('conflict', 'already-installed', `The tenant "${id}" is already installed.`)

export const keptInTheWay = (id: string) =>
  new Refusal(
    'conflict',
    'in-the-way',
    `The data of an earlier tenant "${id}" is kept here. Drop it first: create the tenant, then run tenants delete --id ${id} --drop-tables`,
  )

export const notInstalled = () =>
  new Refusal('unavailable', 'not-installed', 'This site is being prepared. Try again shortly.')

export const siteSilent = () =>
  new Refusal('unavailable', 'site-silent', 'The database of this site does not answer. Try again shortly.')

export const cannotReseal = (owners: readonly string[]) =>
  new Refusal(
    'unavailable',
    'cannot-decrypt',
    `The encrypted values of ${owners.slice(0, 20).join(', ')} cannot be decrypted with the keys of this installation. Set them again, then repeat this.`,
  )

/** For people who change a tenant or plan: no outage that ends by itself, but a state that they can mend. */
export const keyMissing = () =>
  new Refusal(
    'conflict',
    'key-missing',
    'This needs values that are stored encrypted, and no key of this installation decrypts them. Add the missing key again, or set the whole env again.',
  )

export const notMovable = (id: string) =>
  new Refusal('conflict', 'not-installed', `The tenant "${id}" is not installed.`)

export const nothingToMove = (id: string) =>
  new Refusal(
    'conflict',
    'nothing-to-move',
    `The rows and files of "${id}" are already where its values say.`,
  )

export const beingMoved = (until: string) =>
  new Refusal(
    'conflict',
    'being-moved',
    `This tenant is being moved. Wait for the end of that move; if its process has stopped, the move can be repeated after ${until}.`,
  )

export const moveLost = () =>
  new Refusal(
    'conflict',
    'move-lost',
    'Another process has aborted this move, because its lease had ended. Repeat the move.',
  )

export const siteBusy = () =>
  new Refusal(
    'unavailable',
    'site-busy',
    'Other processes kept writing to this site, so the write fence could not be raised. Repeat the move.',
  )

/** A move that met bytes which no copy proves. The tool names the keys to programs. */
export class MoveStopped extends Refusal {
  readonly missing: readonly string[]
  readonly damaged: readonly string[]

  constructor({ missing, damaged }: { missing: readonly string[]; damaged: readonly string[] }) {
    const faults = [
      ...missing.map((key) => `${key} is missing`),
      ...damaged.map((key) => `${key} is damaged`),
    ]
    const isLong = faults.length > mostNamed
    super(
      'conflict',
      'move-stopped',
      'Nothing was moved, and both copies are kept. Restore the bytes from a backup or delete these files, then repeat the move. To leave missing files behind, name their keys with --accept-missing.',
      {
        list: isLong ? [...faults.slice(0, mostNamed), `and ${faults.length - mostNamed} more`] : faults,
        params: { missing: namesOf(missing), damaged: namesOf(damaged) },
      },
    )
    this.missing = missing
    this.damaged = damaged
  }
}

const mostNamed = 20

const namesOf = (keys: readonly string[]) =>
  `${keys.slice(0, mostNamed).join(', ')}${keys.length > mostNamed ? ', …' : ''}`

export const oldCopyKept = (keys: readonly string[]) =>
  new Refusal(
    'conflict',
    'old-copy-kept',
    `The old copy is kept, because at the new location these are missing or damaged: ${keys.slice(0, mostNamed).join(', ')}${keys.length > mostNamed ? `, and ${keys.length - mostNamed} more` : ''}.`,
  )

export const rowsDiffer = () =>
  new Refusal('unavailable', 'rows-differ', 'The copied rows differ from the originals. Nothing was moved.')
