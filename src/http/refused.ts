import { Type } from 'typebox'
import type { Refusal } from '../lib/refusal.ts'
import type { Answer } from './endpoint.ts'
import { answerOfRefusal } from './errors.ts'

/** The one envelope of all JSON errors, as it is described. */
export const ErrorObject = Type.Object({
  status_code: Type.Integer({ description: 'The HTTP status' }),
  error: Type.Object({
    message: Type.String({ description: 'What went wrong, for a person to read' }),
    code: Type.Integer({ description: 'The status, but for 999: a limit is reached' }),
    list: Type.Array(Type.String(), {
      description: 'Every fault that was found, each with the name of its field',
    }),
  }),
  status_txt: Type.String({ description: 'The name of the status' }),
})

/** An answer that says no, with the very body that a caller gets. */
export function refused(description: string, refusal: Refusal): Answer {
  const { body, headers } = answerOfRefusal(refusal)
  return {
    description,
    schema: ErrorObject,
    example: body,
    headers: 'retry-after' in headers ? { 'Retry-After': 'Seconds to wait before the next try' } : {},
  }
}
