import type { Passkey } from '../../../accounts/index.ts'
import { type Html, html } from '../../../lib/html.ts'
import { tokenField } from '../../../ui/form.ts'
import { submitButton, textField } from '../../../ui/parts/controls.ts'
import { table } from '../../../ui/parts/lists.ts'
import { banner } from '../../../ui/parts/states.ts'
import { answerFields, hasPasskeys } from '../../../ui/passkey-form.ts'
import { writeAgo } from '../../../words/format.ts'
import type { PageCall } from '../../page-call.ts'
import { formFault } from '../settings/settings-frame.ts'

interface Passkeys {
  passkeys: readonly Passkey[]
  /** Of a passkey that was just made. */
  fault?: string | undefined
}

/** The passkeys of the reader, and the form for another one. */
export function passkeyPart(call: PageCall, { passkeys, fault }: Passkeys): Html {
  const { words } = call.reader
  return html`<p class="soft">${words.passkeysText}</p>
${formFault(fault)}
${passkeys.length > 0 ? list(call, passkeys) : undefined}
${hasPasskeys(call) ? creation(call) : banner(html`<p>${words.passkeysNeedHttps}</p>`, 'warn')}`
}

function list({ reader, site }: PageCall, passkeys: readonly Passkey[]): Html {
  const { words, language } = reader
  const now = site.clock.now()
  const rows = passkeys.map(({ id, name, createdAt, lastUsedAt }) => {
    const remove = html`<form method="post" action="/settings/security/passkeys/${id}/remove">${tokenField(reader)}<p>${words.passkeyRemoveText}</p>${submitButton(words.passkeyRemoveYes, { look: 'danger', isDense: true })}</form>`
    const rename = html`<form method="post" action="/settings/security/passkeys/${id}/rename" class="stack">${tokenField(reader)}${textField({ label: words.passkeyName, name: 'name', id: `passkey-name-${id}`, value: name, more: { required: true, maxlength: 64, autocomplete: 'off', dir: 'auto' } })}${submitButton(words.save, { look: 'plain', isDense: true })}</form>`
    const fold = (label: string, content: Html) =>
      html`<details class="fold"><summary class="button plain dense" aria-label="${label}: ${name}">${label}</summary>${content}</details>`
    return [
      html`<span dir="auto">${name}</span>`,
      html`${writeAgo(language, createdAt, now) ?? words.momentsAgo}`,
      html`${lastUsedAt ? (writeAgo(language, lastUsedAt, now) ?? words.momentsAgo) : words.neverUsed}`,
      html`<div class="actions">${fold(words.passkeyRename, rename)}${fold(words.passkeyRemove, remove)}</div>`,
    ]
  })
  const columns = [words.keyName, words.passkeyMade, words.lastUsed, words.action].map((name) => ({ name }))
  return table(words.passkeys, columns, rows)
}

/** Behind a proof, for a passkey opens the account by itself. The name that was typed before it comes back with the person. */
function creation({ reader, query, form }: PageCall): Html {
  const { words } = reader
  const name = query.get('passkey') ?? (form.has('challenge') ? form.get('name') : undefined) ?? ''
  return html`<form method="post" action="/settings/security/passkeys" class="stack passkey-form" data-passkey="creation" hidden>
${tokenField(reader)}
${answerFields}
${textField({
  label: words.passkeyName,
  name: 'name',
  id: 'passkey-name',
  value: name,
  hint: words.passkeyNameHint,
  more: { required: true, maxlength: 64, autocomplete: 'off', dir: 'auto' },
})}
<p>${submitButton(words.passkeyAdd, { look: 'plain' })}</p>
<p class="fault" role="alert" hidden>${words.passkeyFailed}</p>
</form>
<noscript><p>${words.passkeysNeedScript}</p></noscript>`
}
