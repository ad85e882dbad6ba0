import { badKey } from '../../control/index.ts'
import type { DescribedResponse } from '../../http/endpoint.ts'
import { refused, storeUnavailableResponse } from '../../http/openapi/described-refusal.ts'
import { addressNotAllowed, bodyTooLarge, wrongContentType } from '../../http/responses/errors.ts'
import { faultOf } from '../../lib/faults.ts'
import { invalidFields, Refusal } from '../../lib/refusal.ts'

export const noContent: DescribedResponse = { description: 'Done; no body.' }

/** Refusals of every signed call. */
export const signedRefusals: Record<number, DescribedResponse> = {
  401: refused('The key or the signature is missing or not valid.', badKey()),
  403: refused('The caller’s address is not on the allow list.', addressNotAllowed()),
  503: storeUnavailableResponse,
}

/** Refusals of every signed call with a body. */
export const bodyRefusals: Record<number, DescribedResponse> = {
  ...signedRefusals,
  400: refused(
    'The body is not what is expected here; `error.list` names every fault.',
    invalidFields([faultOf('hostname', 'hostname')], 'invalid-fields'),
  ),
  413: refused('The body is larger than 1 MiB.', bodyTooLarge(1_048_576)),
  415: refused(
    'The body is not declared as JSON, or is compressed.',
    wrongContentType('The body must be JSON: Content-Type: application/json.'),
  ),
  507: refused(
    'The disk is full; nothing was changed.',
    new Refusal('unavailable', 'disk-full', 'There is no space left to store this.'),
  ),
}

export const noSuchTenant = refused(
  'There is no such tenant.',
  new Refusal('not-found', 'tenant-not-found', 'Tenant not found'),
)

export const noSuchPlan = refused(
  'There is no such plan.',
  new Refusal('not-found', 'plan-not-found', 'Tenant plan not found'),
)

export const conflict = (description: string, message: string): DescribedResponse =>
  refused(description, new Refusal('conflict', 'conflict', message))
