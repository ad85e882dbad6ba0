import { badKey } from '../../control/index.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { Answer } from '../endpoint.ts'
import { addressNotAllowed, bodyTooLarge, wrongContentType } from '../errors.ts'
import { refused } from '../refused.ts'

export const noContent: Answer = { description: 'Done; no body.' }

export const storeAway = refused(
  'The database cannot be reached; try again.',
  new Refusal('unavailable', 'store-unavailable', 'The database cannot be reached. Try again shortly.'),
)

/** What every signed call may be refused with. */
export const signedRefusals: Record<number, Answer> = {
  401: refused('The key or the signature is missing or not valid.', badKey()),
  403: refused('The caller’s address is not on the allow list.', addressNotAllowed()),
  503: storeAway,
}

const fault = 'hostname: must be a DNS name'

/** And what is added when it takes a body, and so may change something. */
export const bodyRefusals: Record<number, Answer> = {
  ...signedRefusals,
  400: refused(
    'The body is not what is expected here; `error.list` names every fault.',
    new Refusal('invalid', 'invalid-fields', fault, { list: [fault] }),
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

/** A change that something else stands in the way of. */
export const conflict = (description: string, message: string): Answer =>
  refused(description, new Refusal('conflict', 'conflict', message))
