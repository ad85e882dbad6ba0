import type { FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { isHttps } from '../http/session/session-cookie.ts'
import { attributes, type Html, html } from '../lib/html.ts'
import { isLocalName } from '../lib/net/hosts.ts'
import { tokenField } from './form.ts'
import { submitButton } from './parts/controls.ts'
import type { Reader } from './reader.ts'

/** Browsers know passkeys on encrypted lines and on this machine alone. */
export const hasPasskeys = ({ app, request }: { app: App; request: FastifyRequest }): boolean =>
  isHttps(app, request) || isLocalName(request.client.hostname)

interface PasskeyForm {
  action: string
  /** Where a right passkey leads. */
  to: string
  /** Offered among the suggestions of the field for the name, too. */
  isConditional?: boolean
  /** The address below which the script asks for a challenge; that of sites by default. */
  from?: string
}

/** A form that a passkey fills. The script shows it where the browser can; without script there are passwords. */
export function passkeyForm(reader: Reader, { action, to, isConditional = false, from }: PasskeyForm): Html {
  const { words } = reader
  const kind = isConditional ? 'conditional' : 'request'
  const more = attributes({ 'data-passkey': kind, 'data-from': from })
  return html`<form method="post" action="${action}" class="stack passkey-form"${more} hidden>
${tokenField(reader)}
<input name="to" value="${to}" type="hidden">
<input name="stay" value="0" type="hidden">
${answerFields}
<p>${submitButton(words.passkeyUse, { look: 'plain' })}</p>
<p class="fault" role="alert" hidden>${words.passkeyFailed}</p>
</form>`
}

/** What the script fills in. */
export const answerFields: Html = html`<input name="challenge" type="hidden">
<input name="response" type="hidden">`
