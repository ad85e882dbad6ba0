import { type BrokenRule, detailOf } from '../../../lib/faults.ts'
import { invalidFields, Refusal } from '../../../lib/refusal.ts'

export { fileTooBig } from '../../../media/index.ts'

const SHOWN_NAME_LENGTH = 64

/** Names the parameter and the rule that it breaks. */
export function badParameter(name: string, rule: BrokenRule): Refusal {
  const isLong = name.length > SHOWN_NAME_LENGTH
  const field = isLong ? `${name.slice(0, SHOWN_NAME_LENGTH).toWellFormed()}…` : name
  return invalidFields([{ field, ...rule }], 'bad-parameter')
}

/** Names no parameter: its name is what cannot be read. */
export const badName = (rule: BrokenRule) => badForm(`The name of a parameter ${detailOf(rule)}.`)

/** The body as a whole cannot be read. */
export const badForm = (message: string, cause?: unknown) =>
  new Refusal('invalid', 'bad-form', message, { cause })

export const badMultipart = () => badForm('The form is not valid multipart/form-data.')

export const badBase64 = (cause?: unknown) =>
  new Refusal('invalid', 'bad-base64', 'Invalid base64 string', { cause })

export const tooManyUnauthenticatedBytes = () =>
  new Refusal(
    'unavailable',
    'too-many-unknown-bytes',
    'Too many uploads without a valid key are being sent. Try again shortly, or send the key in the header X-API-Key.',
  )

/** A prefetch is not a decision of the user to upload. */
export const prefetchRefused = () =>
  new Refusal('forbidden', 'prefetch', 'A prefetch uploads nothing. Send the request itself.')

const FULL_CODES = new Set(['ENOSPC', 'EDQUOT', 'Unknown system error -122'])

/** The refusal for an error of the spool's disk. */
export function spoolFault(error: unknown): unknown {
  const { code = '', errno } = error as NodeJS.ErrnoException
  if (errno === undefined) return error
  const details = { cause: error }
  return FULL_CODES.has(code)
    ? new Refusal('unavailable', 'disk-full', 'There is no space left to store this.', details)
    : new Refusal(
        'unavailable',
        'storage-unavailable',
        'Uploads cannot be stored right now. Try again shortly.',
        details,
      )
}
