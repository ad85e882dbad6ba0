import { inTransaction } from '../../db/index.ts'
import { randomId } from '../../lib/ids.ts'
import { addressKey } from '../../lib/net/addresses.ts'
import type { ChangingSite } from '../../site/index.ts'
import { tooManyMails } from '../errors.ts'
import { countLoginTries, deleteLoginTriesUntil, insertLoginTry } from '../sessions/login-tries-table.ts'
import { lockUsers } from '../users/users.ts'

const most = 10
const seconds = 3_600

/** Refuses more than ten sign-ups, or ten requests for a mail, in an hour from one network. Counted on all servers. */
export async function countRequest(
  site: ChangingSite,
  { purpose, address }: { purpose: 'sign-up' | 'reset'; address: string },
): Promise<void> {
  const at = site.clock.now()
  const since = new Date(at.getTime() - seconds * 1_000)
  // The address is part of the account: these are no wrong passwords, which are counted by address.
  const account = `${purpose} ${addressKey(address)}`
  await inTransaction(site.db, async (db) => {
    await lockUsers(db)
    await deleteLoginTriesUntil(db, since)
    if ((await countLoginTries(db, { by: 'account', value: account, since })) >= most)
      throw tooManyMails(most, seconds)
    await insertLoginTry(db, { id: randomId(), address: '', account, at })
  })
}
