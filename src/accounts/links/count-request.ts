import { hash } from 'node:crypto'
import { inTransaction, type SiteDb } from '../../db/index.ts'
import { latestTime } from '../../lib/clock.ts'
import { randomId } from '../../lib/ids.ts'
import { addressKey } from '../../lib/net/addresses.ts'
import type { ChangingSite, Site } from '../../site/index.ts'
import { tooManyConnects, tooManyMails } from '../errors.ts'
import {
  countLoginTries,
  deleteLoginTriesAfter,
  deleteLoginTriesUntil,
  deleteLoginTry,
  insertLoginTry,
} from '../sessions/login-tries-table.ts'
import { lockUsers } from '../users/users.ts'

// Tries are kept for an hour, so no limit may count more.
const keptSeconds = 3_600
const limits = {
  'sign-up': { most: 10, seconds: 3_600, refusal: tooManyMails },
  reset: { most: 10, seconds: 3_600, refusal: tooManyMails },
  // Of all networks together: the staff gets no more mails.
  'report-mail': { most: 10, seconds: 3_600, refusal: tooManyMails },
  // Only log-ins that were never finished count in the end: an office may be one network.
  connect: { most: 60, seconds: 600, refusal: tooManyConnects },
} as const

interface Counted {
  purpose: keyof typeof limits
  address: string
}

/**
 * Refuses more than ten sign-ups or requests for a mail in an hour, and more than 60 unfinished log-ins by a provider in
 * ten minutes, from one network; and more than ten mails about reports in an hour. Counted on all servers. Returns the id of
 * what was counted.
 */
export async function countRequest(site: ChangingSite, { purpose, address }: Counted): Promise<string> {
  const { most, seconds, refusal } = limits[purpose]
  const at = site.clock.now()
  const ago = (past: number) => new Date(at.getTime() - past * 1_000)
  // The address is part of the account: these are no wrong passwords, which are counted by address.
  const account = `${purpose} ${addressKey(address)}`
  const id = randomId()
  await inTransaction(site.db, async (db) => {
    await lockUsers(db)
    await deleteLoginTriesUntil(db, ago(keptSeconds))
    await deleteLoginTriesAfter(db, latestTime(at))
    if ((await countLoginTries(db, { by: 'account', value: account, since: ago(seconds) })) >= most)
      throw refusal(most, seconds)
    await insertLoginTry(db, { id, address: '', account, at })
  })
  return id
}

/** A request that has done no harm counts no more. */
export const uncountRequest = (site: ChangingSite, id: string): Promise<void> => deleteLoginTry(site.db, id)

const mostMails = 3

/** What a mail is about. Each notice is a kind of its own. */
export type MailKind =
  | 'collected'
  | 'reset'
  | 'staff-reset'
  | 'sign-up'
  | 'known'
  | 'confirm'
  | `notice-${Notice}`

/** Changes of an account that its user is notified of. */
export type Notice =
  | ('password-changed' | 'address-changed')
  | ('passkey-added' | 'passkey-removed' | 'provider-connected' | 'provider-disconnected')
  | ('second-step-on' | 'second-step-off')

/**
 * Takes one of the three mails of a kind that one address gets in an hour, of files that were collected the only one, from all servers. False if none is left: then
 * nothing is sent, and the page says what it would have said. Needs the lock of all accounts.
 */
export const takeMail = (
  site: Pick<Site, 'db' | 'clock'>,
  { kind, to }: { kind: MailKind; to: string },
): Promise<boolean> =>
  isTaken(
    site,
    `mail ${kind} ${hash('sha256', to.toLowerCase(), 'hex')}`,
    kind === 'collected' ? 1 : mostMails,
  )

const mostConfirmations = 10

/** A user may enter any address, but not mail to more than ten strangers in an hour. Needs the lock of all accounts. */
export const takeConfirmation = (site: Pick<Site, 'db' | 'clock'>, userId: string): Promise<boolean> =>
  isTaken(site, `confirm ${userId}`, mostConfirmations)

async function isTaken({ db, clock }: Pick<Site, 'db' | 'clock'>, account: string, most: number) {
  const at = clock.now()
  const since = new Date(at.getTime() - keptSeconds * 1_000)
  await deleteLoginTriesUntil(db, since)
  await deleteLoginTriesAfter(db, latestTime(at))
  if ((await countLoginTries(db, { by: 'account', value: account, since })) >= most) return false
  await insertLoginTry(db, { id: randomId(), address: '', account, at })
  return true
}

/** The same for a mail that no other change goes with. */
export const countMail = (site: ChangingSite, mail: { kind: MailKind; to: string }): Promise<boolean> =>
  inTransaction(site.db, async (db: SiteDb) => {
    await lockUsers(db)
    return takeMail({ ...site, db }, mail)
  })
