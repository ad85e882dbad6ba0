import { badRequest } from '../http/responses/errors.ts'

/** The version that a form was written for. A form without it does not ask what others have changed. */
export function versionIn(form: URLSearchParams): Date | undefined {
  const text = form.get('updated_at') ?? ''
  if (text === '') return undefined
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) throw badRequest(`updated_at: must be a time, not "${text.slice(0, 40)}"`)
  return at
}
