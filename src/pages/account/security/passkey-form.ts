import { isHttps } from '../../../http/session/session-cookie.ts'
import { attributes, type Html, html } from '../../../lib/html.ts'
import { isLocalName } from '../../../lib/net/hosts.ts'
import { tokenField } from '../../../ui/form.ts'
import { submitButton } from '../../../ui/parts/controls.ts'
import type { PageCall } from '../../page-call.ts'

/** Browsers know passkeys on encrypted lines and on this machine alone. */
export const hasPasskeys = ({ app, request }: Pick<PageCall, 'app' | 'request'>): boolean =>
  isHttps(app, request) || isLocalName(request.client.hostname)

/** A form that a passkey fills. The script shows it where the browser can; without script there are passwords. */
export function passkeyForm(
  { reader }: Pick<PageCall, 'reader'>,
  { action, to, isConditional = false }: { action: string; to: string; isConditional?: boolean },
): Html {
  const { words } = reader
  const more = attributes({ 'data-passkey': isConditional ? 'conditional' : 'request' })
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
