import { inTransaction } from '../../../db/index.ts'
import { answerOnce, type KeepAnswer, ownerOfKey } from '../../../http/requests/once/answer-once.ts'
import type { ChangingSite } from '../../../site/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import type { MediaAnswer, MediaCall } from '../media-endpoint.ts'

/** Changes the site and keeps the answer for the call's Idempotency-Key, in one transaction. */
export function changeOnce(
  call: MediaCall,
  change: (site: ChangingSite) => Promise<MediaAnswer>,
): Promise<MediaAnswer> {
  return answerCallOnce(call, (keep) => changeAndKeep(call, keep, change))
}

/** For calls that have work to do before their transaction: `prepare` runs once for each key, outside of it. */
export function prepareAndChangeOnce<Prepared>(
  call: MediaCall,
  prepare: () => Promise<Prepared>,
  change: (site: ChangingSite, prepared: Prepared) => Promise<MediaAnswer>,
): Promise<MediaAnswer> {
  return answerCallOnce(call, async (keep) => {
    const prepared = await prepare()
    return changeAndKeep(call, keep, (site) => change(site, prepared))
  })
}

type Keep = KeepAnswer<MediaAnswer> | undefined

const changeAndKeep = (
  { app, site }: MediaCall,
  keep: Keep,
  change: (site: ChangingSite) => Promise<MediaAnswer>,
): Promise<MediaAnswer> =>
  changeSite(app.control, site, (changing) =>
    inTransaction(changing.db, async (db) => {
      const answer = await change({ ...changing, db })
      await keep?.(db, answer)
      return answer
    }),
  )

/** For calls whose domain function keeps the answer in its own transaction, such as an upload. */
export async function answerCallOnce(
  {
    app,
    site,
    caller,
    request,
    idempotency,
  }: Pick<MediaCall, 'app' | 'site' | 'caller' | 'request' | 'idempotency'>,
  run: (keep: Keep) => Promise<MediaAnswer>,
): Promise<MediaAnswer> {
  const owned = idempotency && { caller: ownerOfKey(caller, request.client.address), ...idempotency }
  const { answer, isReplayed } = await answerOnce(app, site, owned, run)
  return isReplayed ? { ...answer, headers: { ...answer.headers, 'idempotency-replayed': 'true' } } : answer
}
