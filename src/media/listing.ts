import type { Caller } from '../accounts/index.ts'
import { Refusal } from '../lib/refusal.ts'
import { readSettings, type Site } from '../site/index.ts'

/** Refuses lists of others' files where the setting `listing` keeps them from this caller. */
export async function checkListing(site: Site, caller: Caller): Promise<void> {
  if (caller.kind === 'user' && caller.scope === 'admin') return
  const { listing } = await readSettings(site)
  if (listing === 'off') throw listingOff()
  if (listing === 'members' && caller.kind === 'guest') throw listedToMembers()
}

/** Whether `checkListing` lets the caller through. */
export async function mayListOthers(site: Site, caller: Caller): Promise<boolean> {
  if (caller.kind === 'user' && caller.scope === 'admin') return true
  const { listing } = await readSettings(site)
  return listing === 'public' || (listing === 'members' && caller.kind === 'user')
}

export const listingOff = () =>
  new Refusal('not-found', 'listing-off', 'This site does not list what people have uploaded.')

/** Pages lead a guest to the log-in instead. */
export const listedToMembers = () =>
  new Refusal('unauthenticated', 'members-only', 'This site lists its files only to users who are logged in.')
