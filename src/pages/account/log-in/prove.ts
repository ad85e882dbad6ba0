import { listConnections } from '../../../accounts/index.ts'
import { responseOfRefusal } from '../../../http/responses/errors.ts'
import { type Html, html } from '../../../lib/html.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { tokenField } from '../../form.ts'
import { writePage } from '../../frame.ts'
import { ownPath } from '../../own-path.ts'
import { type PageAnswer, type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { submitButton, textField } from '../../parts/controls.ts'
import { orRefusal } from '../../refused.ts'
import { accountFaultsOf } from '../account-faults.ts'
import { hiddenName, proveBy } from '../proof.ts'
import { hasPasskeys, passkeyForm } from '../security/passkey-form.ts'
import { formFault } from '../settings/settings-frame.ts'
import { providerButtons } from './connect/provider-buttons.ts'

/** Where pages lead that need a proof of the last ten minutes. */
export const showProve: PageHandler = async (call) => {
  const to = ownPath(call.query.get('to') ?? '', '/settings')
  return call.session?.isProven ? { to } : { page: await provePage(call, to) }
}

export const prove: PageHandler = async (call) => {
  const { form } = call
  const to = ownPath(form.get('to') ?? '', '/settings')
  const refusal = await orRefusal(proveBy(call, form.get('password') ?? ''))
  return refusal instanceof Refusal ? refusedProof(call, to, refusal) : { to }
}

export async function refusedProof(call: PageCall, to: string, refusal: Refusal): Promise<PageAnswer> {
  const { status, headers } = responseOfRefusal(refusal)
  const { words } = call.reader
  const fault =
    refusal.kind === 'unauthenticated' ? words.passkeyRefused : accountFaultsOf(call.reader, refusal).current
  return { page: await provePage(call, to, fault), status, headers }
}

async function provePage(call: PageCall, to: string, fault?: string): Promise<string> {
  const { site, reader } = call
  const { words } = reader
  const connections = await listConnections(site, userOf(call))
  const providers = connections.filter(({ isEnabled, identity }) => isEnabled && identity)
  return writePage({
    siteName: site.hostname,
    title: `${words.proveTitle} - ${site.hostname}`,
    head: html`<meta name="robots" content="noindex">`,
    reader,
    body: html`<div class="question">
<h1>${words.proveTitle}</h1>
<p>${words.proofWhy}</p>
${call.session?.hasPassword ? passwordForm(call, to, fault) : formFault(fault)}
${hasPasskeys(call) ? passkeyForm(call, { action: '/prove/passkey', to }) : undefined}
${providerButtons(providers, { label: words.proveWith, to })}
</div>`,
  })
}

function passwordForm(call: PageCall, to: string, fault: string | undefined): Html {
  const { reader } = call
  const { words } = reader
  return html`<form method="post" action="/prove" class="stack">
${tokenField(reader)}
<input name="to" value="${to}" type="hidden">
${hiddenName(call)}
${textField({
  label: words.currentPassword,
  name: 'password',
  fault,
  more: { type: 'password', autocomplete: 'current-password', required: true, autofocus: true },
})}
<p>${submitButton(words.goOn)}</p>
</form>`
}
