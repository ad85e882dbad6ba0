import { hash } from 'node:crypto'
import { isRecent } from '../../lib/clock.ts'
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
  const endsAt = site.clock.now().getTime() + halfLogInSeconds * 1_000
  const mark = await passwordMark(site, logIn.userId)
  return sealText(key, JSON.stringify({ ...logIn, endsAt, mark }), boundTo)
}

/** Refuses one that has ended. */
export async function openHalfLogIn(site: Site, key: Uint8Array, sealed: string): Promise<HalfLogIn> {
  const text = openSealedText(key, sealed, boundTo)
  if (text === undefined) throw logInEnded()
  const { endsAt, mark, ...logIn } = JSON.parse(text) as HalfLogIn & { endsAt: number; mark: string }
  const isOpen = isRecent(endsAt - halfLogInSeconds * 1_000, halfLogInSeconds * 1_000, site.clock.now())
  if (!isOpen || mark !== (await passwordMark(site, logIn.userId))) throw logInEnded()
  return logIn
}

const passwordMark = async (site: Site, userId: string): Promise<string> =>
  hash('sha256', (await findPasswordHash(site.db, userId)) ?? '', 'hex')
