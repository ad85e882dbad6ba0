import { createHash } from 'node:crypto'
import { inTransaction, type SiteDb } from '../../db/index.ts'
import { type BrokenRule, broken } from '../../lib/faults.ts'
import { invalidFields } from '../../lib/refusal.ts'
import type { ChangingSite, Site } from '../../site/index.ts'
import { checkStillKnown, type UserCaller } from '../actor.ts'
import {
  findProfile,
  findProfilePicture,
  type Profile,
  type ProfilePicture,
  saveProfile,
} from './profiles-table.ts'
import { lockUsers } from './users.ts'

export const mostAboutLength = 500

function aboutFault(about: string): BrokenRule | undefined {
  const length = [...about].length
  if (length > mostAboutLength) return broken('mostLength', { most: mostAboutLength, length })
  return about.includes('\0') ? broken('nul') : undefined
}

export const readProfile = (site: Site, userId: string): Promise<Profile> => findProfile(site.db, userId)

export const readProfilePicture = (
  site: Site,
  userId: string,
  hash: string,
): Promise<ProfilePicture | undefined> => findProfilePicture(site.db, userId, hash)

/** Changes what the caller says of himself. The account's version stays: programs do not see it. */
export async function editAbout(site: ChangingSite, caller: UserCaller, about: string): Promise<void> {
  const fault = aboutFault(about)
  if (fault) throw invalidFields([{ field: 'about', ...fault }])
  await changeProfile(site, caller, (db) => saveProfile(db, caller.userId, { about }))
}

/** Removes the picture if none is given. */
export async function setProfilePicture(
  site: ChangingSite,
  caller: UserCaller,
  picture: ProfilePicture | undefined,
): Promise<void> {
  const columns = {
    picture: picture?.bytes.toString('base64') ?? null,
    pictureMime: picture?.mime ?? null,
    pictureHash: picture ? createHash('sha256').update(picture.bytes).digest('base64url').slice(0, 22) : null,
  }
  await changeProfile(site, caller, (db) => saveProfile(db, caller.userId, columns))
}

const changeProfile = (site: ChangingSite, caller: UserCaller, change: (db: SiteDb) => Promise<void>) =>
  inTransaction(site.db, async (db) => {
    await lockUsers(db)
    await checkStillKnown(db, caller, site.clock.now())
    await change(db)
  })
