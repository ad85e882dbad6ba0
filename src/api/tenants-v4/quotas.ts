import type { Endpoint } from '../../http/endpoint.ts'
import { QuotasObject, writeQuotas } from '../../http/wire/quotas.ts'
import { writeTime } from '../../lib/times.ts'
import { readTenantQuotas } from '../../tenants/index.ts'
import { noSuchTenant, signedRefusals } from './responses.ts'
import { idOf, ofTenant } from './wire.ts'

export const getTenantQuotas: Endpoint = {
  tag: 'Tenants',
  summary: 'Read the quotas of a tenant and how much of them is used',
  description: 'Quotas that are not set are left out. A tenant that is not installed uses nothing.',
  access: 'signed',
  params: ofTenant,
  responses: {
    200: { description: 'The quotas.', schema: QuotasObject },
    ...signedRefusals,
    404: noSuchTenant,
  },
  handle: () => async (request) =>
    writeQuotas(await readTenantQuotas(request.control, idOf(request)), writeTime),
}
