import { noProof } from '../../../http/requests/proof-rule.ts'
import { responseOfRefusal } from '../../../http/responses/errors.ts'
import { problemCodeOf } from '../../../http/responses/problem-codes.ts'
import { checkNotSuspended } from '../../../http/suspended-sites.ts'
import { BulkBody, BulkObject, bulkFaults, readBulk, writeBulk } from '../../../http/wire/bulk-changes.ts'
import type { Refusal } from '../../../lib/refusal.ts'
import { bulkFailed, changeFiles, noSuchFile } from '../../../media/index.ts'
import type { ChangingEndpoint } from '../media-endpoint.ts'
import { onceRefusals, refusedAs } from '../responses.ts'
import { userOf } from '../rules/call-parts.ts'
import { changeOnce } from '../rules/idempotency.ts'

export const postBulk: ChangingEndpoint = {
  tag: 'Files',
  summary: 'Change many files',
  description:
    '`edit` and `move` use the fields of `PATCH /api/5/files/{id}` in `set`; `remove` deletes ' +
    'permanently; `approve` and `reject` are for administrators and managers, and `reject` ' +
    'moves files to the trash. All in one transaction, with a result for each file.',
  access: 'write',
  proof: noProof.ownThings,
  body: BulkBody,
  bodyExample: { action: 'edit', ids: ['Zk3Qm8vTxLw2'], set: { add_tags: ['pet'] } },
  bodyFaults: bulkFaults,
  responses: {
    200: { description: 'The result for each file.', schema: BulkObject },
    ...onceRefusals,
    409: refusedAs(
      'With `atomic`: a file cannot be changed, so none was; or the first request with this ' +
        'Idempotency-Key is still running.',
      bulkFailed([{ id: 'Zk3Qm8vTxLw2', refusal: noSuchFile('Zk3Qm8vTxLw2') }]),
    ),
  },
  handle: async (call) => {
    const bulk = readBulk(call.body)
    if (!deletions.has(bulk.action)) checkNotSuspended(call.site)
    return changeOnce(call, async (site) => {
      const results = await changeFiles(site, userOf(call), bulk)
      return { status: 200, body: writeBulk(results, (refusal) => outcomeOf(refusal as Refusal)) }
    })
  },
}

/** What makes room, also on a suspended site. */
const deletions: ReadonlySet<string> = new Set(['trash', 'remove'])

function outcomeOf(refusal: Refusal) {
  const { status } = responseOfRefusal(refusal)
  return { status, code: problemCodeOf(refusal.code, status) }
}
