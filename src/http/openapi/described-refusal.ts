import { Type } from 'typebox'
import { Refusal } from '../../lib/refusal.ts'
import type { DescribedResponse } from '../endpoint.ts'
import { responseOfRefusal, siteDisabled, unknownHost } from '../responses/errors.ts'

/** The envelope of all JSON errors. */
export const ErrorObject = Type.Object({
  status_code: Type.Integer({ description: 'The HTTP status' }),
  error: Type.Object({
    message: Type.String({ description: 'What went wrong, for a person to read' }),
    code: Type.Integer({
      description:
        'The status, or a number of its own: 999 if a limit is reached, and those of the upload API',
    }),
    list: Type.Array(Type.String(), {
      description: 'Every fault that was found, each with the name of its field',
    }),
  }),
  status_txt: Type.String({ description: 'The name of the status' }),
})

/** Describes a refusal. The example is the body that a caller gets; `numbers` is the API's table of `error.code`. */
export function refused(
  description: string,
  refusal: Refusal,
  numbers?: Readonly<Record<string, number>>,
): DescribedResponse {
  const { body, headers } = responseOfRefusal(refusal, numbers)
  return {
    description,
    schema: ErrorObject,
    example: body,
    headers: 'retry-after' in headers ? { 'Retry-After': 'Seconds to wait before the next try' } : {},
  }
}

export const storeUnavailableResponse = refused(
  'The database cannot be reached; try again.',
  new Refusal('unavailable', 'store-unavailable', 'The database cannot be reached. Try again shortly.'),
)

/** Refusals of every address of a site. */
export const siteRefusals: Readonly<Record<403 | 404 | 503, DescribedResponse>> = {
  403: refused('The site is disabled.', siteDisabled()),
  404: refused('There is no site at this hostname.', unknownHost()),
  503: storeUnavailableResponse,
}
