import type { Answer } from '../endpoint.ts'

const refusalTexts: Readonly<Record<number, string>> = {
  400: 'The body is not what is expected here; `error.list` names every fault.',
  401: 'The key or the signature is missing or not valid.',
  403: 'The address is not allowed.',
  404: 'There is no such tenant, plan or user.',
  409: 'The id or hostname is taken, the plan is unknown, or the tenant is already installed.',
  413: 'The body is larger than 1 MiB.',
  415: 'The body is not JSON.',
  503: 'The database cannot be reached; try again.',
}

const envelope = (status: number) => ({
  status_code: status,
  error: { message: 'What went wrong', code: status, list: ['What went wrong'] },
  status_txt: 'The name of the status',
})

/** What a call may be refused with, in the one envelope of all errors. */
export function refusals(...statuses: number[]): Record<number, Answer> {
  return Object.fromEntries(
    statuses.map((status) => [status, { description: refusalTexts[status] ?? '', example: envelope(status) }]),
  )
}

/** What every signed call may be refused with. */
export const signedRefusals = refusals(401, 403, 503)
export const bodyRefusals = refusals(400, 401, 403, 413, 415, 503)

export const noContent: Answer = { description: 'Done; no body.' }
