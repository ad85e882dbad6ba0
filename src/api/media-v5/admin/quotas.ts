import { writeTime } from '../../../http/fields.ts'
import { QuotasObject, writeQuotas } from '../../../http/wire/quotas.ts'
import { readQuotas } from '../../../site/index.ts'
import type { MediaEndpoint } from '../media-endpoint.ts'
import { scopedRefusals } from '../responses.ts'

export const getQuotas: MediaEndpoint = {
  tag: 'Statistics',
  summary: 'Read the quotas of the site and how much of them is used',
  description:
    'Storage is exact; traffic includes what the servers have counted up to a few seconds ago. ' +
    'Quotas that are not set are left out.',
  access: 'see-statistics',
  responses: { 200: { description: 'The quotas.', schema: QuotasObject }, ...scopedRefusals },
  handle: async ({ site }) => ({
    status: 200,
    body: writeQuotas(await readQuotas(site), (at) => writeTime(at) ?? ''),
  }),
}
