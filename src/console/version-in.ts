import { badRequest } from '../http/responses/errors.ts'
import { type Html, html } from '../lib/html.ts'
import { type ConsoleCall, isKept } from './console-call.ts'

/** The version that a form was written for. A form without it does not ask what others have changed. */
export function versionIn(form: URLSearchParams): Date | undefined {
  const text = form.get('updated_at') ?? ''
  if (text === '') return undefined
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) throw badRequest(`updated_at: must be a time, not "${text.slice(0, 40)}"`)
  return at
}

/** A form that was not taken before a log-in keeps its version: what others have changed since is not overwritten unseen. */
export function versionField({ updatedAt }: { updatedAt: Date }, call?: ConsoleCall): Html {
  const version = (call && isKept(call) ? versionIn(call.form) : undefined) ?? updatedAt
  return html`<input name="updated_at" value="${version.toISOString()}" type="hidden" autocomplete="off">`
}
