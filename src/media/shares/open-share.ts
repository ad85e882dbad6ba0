import type { ChangingSite, Site } from '../../site/index.ts'
import { checkCountedPassword } from '../albums/album-password.ts'
import {
  isEnded,
  isUsedUp,
  shareEnded,
  sharePasswordNeeded,
  unknownShare,
  wrongSharePassword,
} from './share-rules.ts'
import { hashOfShareToken } from './shares.ts'
import { findShare, findShareByToken, type Share, updateViews } from './shares-table.ts'

/** The share of an address, without using a view. */
export async function shareOfToken(site: Site, token: string): Promise<Share> {
  const share = /^[A-Za-z0-9]{16,64}$/.test(token)
    ? await findShareByToken(site.db, hashOfShareToken(token))
    : undefined
  if (!share) throw unknownShare()
  if (isEnded(share, site.clock.now())) throw shareEnded()
  return share
}

/** A share that a new visitor may open: with its password if it has one, and while it has views left. */
export async function shareForVisitor(
  site: Site,
  { token, password, address }: { token: string; password: string | undefined; address: string },
): Promise<Share> {
  const share = await shareOfToken(site, token)
  if (isUsedUp(share)) throw shareEnded()
  if (share.passwordHash === undefined) return share
  if (password === undefined) throw sharePasswordNeeded()
  const target = `share ${share.id}`
  await checkCountedPassword(site, share.passwordHash, {
    password,
    address,
    target,
    wrong: wrongSharePassword,
  })
  return share
}

/** Uses a view. Of visitors who come at once, no more are let in than there are views left. */
export async function takeView(site: ChangingSite, { id }: Share): Promise<Share> {
  const now = site.clock.now()
  // Read again: the password may have been checked for a while.
  const share = await findShare(site.db, id)
  if (!share || isEnded(share, now) || !(await updateViews(site.db, id, now))) throw shareEnded()
  return { ...share, views: share.views + 1 }
}
