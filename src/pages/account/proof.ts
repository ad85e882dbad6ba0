import { checkOwnPassword, listConnections, proofNeeded, recordProof } from '../../accounts/index.ts'
import type { WithoutProof } from '../../http/requests/proof-rule.ts'
import { responseOfRefusal } from '../../http/responses/errors.ts'
import { type Html, html } from '../../lib/html.ts'
import { Refusal } from '../../lib/refusal.ts'
import { changeSite } from '../../tenants/index.ts'
import { tokenField } from '../../ui/form.ts'
import { ownPath } from '../../ui/own-path.ts'
import { submitButton, textField } from '../../ui/parts/controls.ts'
import { hasPasskeys, passkeyForm } from '../../ui/passkey-form.ts'
import { orRefusal } from '../../ui/refused.ts'
import { writePage } from '../frame.ts'
import { type PageAnswer, type PageCall, type PageHandler, type PageProof, userOf } from '../page-call.ts'
import { accountFaultsOf } from './account-faults.ts'
import { providerButtons } from './log-in/connect/provider-buttons.ts'
import { formFault } from './settings/settings-frame.ts'

/** The call, if the page needs no proof, the session has one, or the form brings the password; else the question for it. */
export async function withProof(
  proof: PageProof | WithoutProof | undefined,
  call: PageCall,
): Promise<{ call: PageCall } | { question: PageAnswer }> {
  const { session, form } = call
  if (!proof || 'withoutProof' in proof || !session || session.isProven) return { call }
  if (proof.isNeeded && !(await proof.isNeeded(call))) return { call }
  const given = form.get('current') ?? ''
  if (given === '' || !session.hasPassword) return { question: questionOf(proof, call) }
  const refusal = await orRefusal(proveBy(call, given))
  if (!(refusal instanceof Refusal)) return { call: { ...call, session: { ...session, isProven: true } } }
  const { status, headers } = responseOfRefusal(refusal)
  const fault = accountFaultsOf(call.reader, refusal).current
  return { question: { page: questionPage(call, fault), status, headers, isSecret: true } }
}

/** Records the proof of a right password. Wrong ones count like wrong log-ins. */
async function proveBy(call: PageCall, password: string): Promise<void> {
  const { app, site } = call
  await checkOwnPassword(site, userOf(call), password)
  await changeSite(app.control, site, (changing) => recordProof(changing, userOf(call)))
}

function questionOf({ ask }: PageProof, call: PageCall): PageAnswer {
  if (ask === 'script') throw proofNeeded()
  if (ask === 'here') return { page: questionPage(call), status: 400, isSecret: true }
  // Twice: what was typed becomes part of an address within an address.
  const back = ask.replaceAll(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(encodeURIComponent(call.params[name] ?? call.form.get(name) ?? '')),
  )
  return { to: `/prove?to=${back}` }
}

/** Carries all that was sent, so that nothing has to be typed again. */
function questionPage(call: PageCall, fault?: string): string {
  const { site, session, reader, request, form } = call
  const { words } = reader
  const carried = [...form].filter(([name]) => name !== 'current')
  return writePage({
    siteName: site.hostname,
    title: `${words.proveTitle} - ${site.hostname}`,
    head: html`<meta name="robots" content="noindex">`,
    reader,
    body: html`<div class="question">
<h1>${words.proveTitle}</h1>
<form method="post" action="${request.url}" class="stack">
${carried.map(([name, value]) => html`<input name="${name}" value="${value}" type="hidden" autocomplete="off">`)}
${session?.hasPassword ? html`${form.has('username') ? undefined : hiddenName(call)}${proofField(call, { fault })}` : proofLink(call)}
<p>${submitButton(words.goOn)}</p>
</form>
</div>`,
  })
}

/** The field for the password, in forms that need a proof of the last ten minutes; none if there is one. */
export function proofField(
  call: PageCall,
  { fault, id = 'current' }: { fault?: string | undefined; id?: string } = {},
): Html | undefined {
  const { session, reader } = call
  const { words } = reader
  if (session?.isProven) return undefined
  if (!session?.hasPassword) return proofLink(call)
  return textField({
    label: words.currentPassword,
    name: 'current',
    id,
    hint: words.proofWhy,
    fault,
    more: { type: 'password', autocomplete: 'current-password', required: true },
  })
}

/** For a user without a password: the proof is given on its own page, in another tab, so that the form stays as it is. */
export const proofLink = ({ reader: { words, path } }: PageCall): Html =>
  html`<p>${words.proofElsewhere} <a href="/prove?to=${encodeURIComponent(ownPath(path))}" target="_blank">${words.proveTitle}</a></p>`

/** The name of the account for password managers, in forms that ask for a password alone. */
export const hiddenName = ({ session }: PageCall): Html =>
  html`<input name="username" value="${session?.username ?? ''}" type="text" autocomplete="username" readonly hidden>`

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
${hasPasskeys(call) ? passkeyForm(reader, { action: '/prove/passkey', to }) : undefined}
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
