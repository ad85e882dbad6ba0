import { hash } from 'node:crypto'
import { type Clock, isRecent } from '../../lib/clock.ts'
import { openSealedText, sealText } from '../../lib/sealed-text.ts'
import type { Site } from '../../site/index.ts'
import { findPasswordHash } from '../users/users-table.ts'
import { logInEnded } from './errors.ts'

/** A log-in whose first step is done. It opens nothing but the form for the code. */
export interface HalfLogIn {
  userId: string
  isLasting: boolean
  /** Where the log-in leads. */
  to: string
  method: 'password' | 'provider'
  /** In milliseconds: when the person has logged in at a provider. Undefined for a password, which was given just now. */
  loggedInAt?: number
}

export const halfLogInSeconds = 600

const boundTo = 'half-done log-in'

/** For a cookie: sealed, good for ten minutes, and only as long as the password stays. */
export async function sealHalfLogIn(site: Site, key: Uint8Array, logIn: HalfLogIn): Promise<string> {
  const passwordHash = await findPasswordHash(site.db, logIn.userId)
  return sealFirstStep({ clock: site.clock, key }, logIn, passwordHash)
}

/** Refuses one that has ended. */
export const openHalfLogIn = (site: Site, key: Uint8Array, sealed: string): Promise<HalfLogIn> =>
  openFirstStep<HalfLogIn>({ clock: site.clock, key }, sealed, ({ userId }) =>
    findPasswordHash(site.db, userId),
  )

interface Seal {
  clock: Clock
  key: Uint8Array
}

/** What a log-in carries to its second step. */
export function sealFirstStep({ clock, key }: Seal, step: object, passwordHash: string | undefined): string {
  const endsAt = clock.now().getTime() + halfLogInSeconds * 1_000
  return sealText(key, JSON.stringify({ ...step, endsAt, mark: markOf(passwordHash) }), boundTo)
}

/** Refuses one that has ended, or whose account has another password now. */
export async function openFirstStep<Step extends object>(
  { clock, key }: Seal,
  sealed: string,
  passwordHashOf: (step: Step) => Promise<string | undefined>,
): Promise<Step> {
  const text = openSealedText(key, sealed, boundTo)
  if (text === undefined) throw logInEnded()
  const { endsAt, mark, ...step } = JSON.parse(text) as Step & { endsAt: number; mark: string }
  const isOpen = isRecent(endsAt - halfLogInSeconds * 1_000, halfLogInSeconds * 1_000, clock.now())
  if (!isOpen || mark !== markOf(await passwordHashOf(step as unknown as Step))) throw logInEnded()
  return step as unknown as Step
}

const markOf = (passwordHash = ''): string => hash('sha256', passwordHash, 'hex')
