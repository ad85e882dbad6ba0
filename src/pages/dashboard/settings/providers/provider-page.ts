import type { Provider, ProviderCheck } from '../../../../accounts/index.ts'
import { type Html, html } from '../../../../lib/html.ts'
import { Refusal } from '../../../../lib/refusal.ts'
import { tokenField } from '../../../../ui/form.ts'
import { codeField, linkButton, submitButton } from '../../../../ui/parts/controls.ts'
import { banner } from '../../../../ui/parts/states.ts'
import { type FormFaults, noFaults } from '../../../../ui/refusal-words.ts'
import { writeNumber } from '../../../../words/format.ts'
import { backAddress } from '../../../account/log-in/connect/provider-access.ts'
import type { PageCall } from '../../../page-call.ts'
import { dashboardPage, dashboardSection } from '../../dashboard-frame.ts'
import { type FormFields, fieldsOfProvider, providerForm } from './provider-form.ts'

const part = '/dashboard/providers'

interface Shown {
  fields: FormFields
  faults: FormFaults
  open?: readonly string[]
}

export const newPage = (call: PageCall, shown: Shown): string =>
  dashboardPage(call, { part, title: call.reader.words.providerNew, content: providerForm(call, shown) })

export function editPage(call: PageCall, shown: Shown & { provider: Provider; check?: Html }): string {
  const { words } = call.reader
  const { provider, check } = shown
  const content = html`${dashboardSection(words.providerCallback, callback(call, provider))}
${dashboardSection(words.providerCheck, checkForm(call, provider, check))}
${dashboardSection(words.providerEdit, providerForm(call, shown))}
<p class="actions">${linkButton(words.providerDelete, `${part}/${provider.name}/delete`, { look: 'quiet', icon: 'delete' })}</p>`
  return dashboardPage(call, { part, title: provider.title, content })
}

/** The page with what the check has found. */
export function checkedPage(call: PageCall, provider: Provider, check: ProviderCheck | Refusal): string {
  const shown = { provider, fields: fieldsOfProvider(provider), faults: noFaults }
  return editPage(call, { ...shown, check: html`<div role="status">${finding(call, check)}</div>` })
}

function finding({ reader: { words } }: PageCall, check: ProviderCheck | Refusal): Html {
  if (check instanceof Refusal) {
    const isOutage = check.code === 'provider-unavailable'
    return banner(html`<p>${isOutage ? words.providerUnreachable : words.providerMistaken}</p>`, 'danger')
  }
  const { issuer, authorizationEndpoint: endpoint, unknownScopes, hasPkce } = check
  const notes = [
    ...(unknownScopes.length === 0 ? [] : [words.providerUnknownScopes(unknownScopes.join(' '))]),
    ...(hasPkce ? [] : [words.providerNoPkce]),
  ]
  return html`${banner(html`<p class="breaks">${words.providerChecked({ issuer, endpoint })}</p>`, 'good')}
${notes.map((note) => banner(html`<p class="breaks">${note}</p>`, 'warn'))}`
}

function callback(call: PageCall, { name }: Provider): Html {
  const { words } = call.reader
  return html`<p class="soft">${words.providerCallbackText}</p>
${codeField({
  id: 'callback',
  label: words.providerCallback,
  text: backAddress(call, name),
  copy: { label: words.copy, name: words.providerCopyCallback },
})}`
}

function checkForm({ reader }: PageCall, { name }: Provider, check: Html | undefined): Html {
  const { words } = reader
  return html`<p class="soft">${words.providerCheckText}</p>${check}
<form method="post" action="${part}/${name}/check">${tokenField(reader)}<p>${submitButton(words.providerCheck, { look: 'plain' })}</p></form>`
}

export function deletePage(call: PageCall, provider: Provider, connected: number): string {
  const { words, language } = call.reader
  const content = html`<form method="post" class="ask">${tokenField(call.reader)}<input name="version" value="${provider.version}" type="hidden">
<p><strong dir="auto">${provider.title}</strong></p>
<p>${words.providerDeleteText(writeNumber(language, connected))}</p>
<p class="actions">${submitButton(words.providerDelete, { look: 'danger', icon: 'delete' })}${linkButton(words.providerKeep, `${part}/${provider.name}`, { look: 'plain' })}</p>
</form>`
  return dashboardPage(call, { part, title: words.providerDeleteTitle, content })
}
