import type { Connection, Passkey, Session } from '../../../accounts/index.ts'
import { type Html, html } from '../../../lib/html.ts'
import type { Words } from '../../../words/en.ts'
import { writeAgo } from '../../../words/format.ts'
import { tokenField } from '../../form.ts'
import type { PageCall } from '../../page-call.ts'
import { linkButton, submitButton, textField } from '../../parts/controls.ts'
import { chip, table } from '../../parts/lists.ts'
import type { AccountFaults } from '../account-faults.ts'
import { connectionPart } from '../log-in/connect/connection-list.ts'
import { hiddenName } from '../proof.ts'
import { passkeyPart } from '../security/passkey-list.ts'
import { formFault, settingsPage, settingsPart } from './settings-frame.ts'

interface Security {
  sessions: readonly Session[]
  hasTotp: boolean
  passkeys: readonly Passkey[]
  passkeyFault: string | undefined
  connections: readonly Connection[]
  connectionFault: string | undefined
  faults: AccountFaults
}

export function securityPage(call: PageCall, security: Security): string {
  const { sessions, hasTotp, passkeys, passkeyFault: fault, faults } = security
  const { words } = call.reader
  const { connections, connectionFault } = security
  const hasPassword = call.session?.hasPassword
  const content = html`${settingsPart(hasPassword ? words.changePassword : words.setPassword, passwordForm(call, faults))}
${settingsPart(words.secondStep, secondStep(words, hasTotp))}
${settingsPart(words.passkeys, passkeyPart(call, { passkeys, fault }))}
${connections.length > 0 ? settingsPart(words.connections, connectionPart(call, { connections, fault: connectionFault })) : undefined}
${settingsPart(words.sessions, sessionList(call, sessions))}`
  return settingsPage(call, '/settings/security', content)
}

function secondStep(words: Words, isOn: boolean): Html {
  const label = isOn ? words.secondStepChange : words.secondStepSetUp
  return html`<p class="soft">${words.secondStepText}</p>
${isOn ? html`<p>${chip(words.secondStepOn, 'good')}</p>` : undefined}
<p>${linkButton(label, '/settings/security/totp', { look: 'plain' })}</p>`
}

function passwordForm(call: PageCall, faults: AccountFaults): Html {
  const { reader, session } = call
  const { words } = reader
  const current = textField({
    label: words.currentPassword,
    name: 'current',
    fault: faults.current,
    more: { type: 'password', autocomplete: 'current-password', required: true },
  })
  return html`<form method="post" action="/settings/security" class="stack">
${tokenField(reader)}
${formFault(faults.form)}
${hiddenName(call)}
${session?.hasPassword ? current : html`<p>${words.setPasswordText}</p>`}
${textField({
  label: words.newPassword,
  name: 'password',
  hint: words.passwordHint,
  fault: faults.password,
  more: { type: 'password', autocomplete: 'new-password', required: true, minlength: 8 },
})}
<p class="soft">${words.changePasswordText}</p>
<p>${submitButton(session?.hasPassword ? words.changePassword : words.setPassword)}</p>
</form>`
}

function sessionList(call: PageCall, sessions: readonly Session[]): Html {
  const { reader, session: own, site } = call
  const { words, language } = reader
  const now = site.clock.now()
  const rows = sessions.map(({ id, userAgent, address, lastUsedAt }) => {
    const isOwn = id === own?.caller.sessionId
    const name = browserName(words, userAgent)
    const end = submitButton(isOwn ? words.logOut : words.endSession, {
      look: 'plain',
      isDense: true,
      more: { 'aria-label': `${isOwn ? words.logOut : words.endSession}: ${name}, ${address}` },
    })
    const form = html`<form method="post" action="/settings/sessions/${id}/end">${tokenField(reader)}${end}</form>`
    return [
      html`<span class="with-chip"><span dir="auto">${name}</span>${isOwn ? chip(words.thisSession, 'good') : undefined}</span>`,
      html`<span class="mono">${address}</span>`,
      html`${writeAgo(language, lastUsedAt, now) ?? words.momentsAgo}`,
      form,
    ]
  })
  const columns = [words.device, words.networkAddress, words.lastUsed, words.action].map((name) => ({ name }))
  const others = html`<form method="post" action="/settings/sessions/end-others">${tokenField(reader)}${submitButton(words.endOthers, { look: 'plain' })}</form>`
  return html`<p class="soft">${words.sessionsText}</p>${table(words.sessions, columns, rows)}
${sessions.length > 1 ? others : undefined}`
}

const browsers = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /SamsungBrowser\//],
  ['Firefox', /Firefox\/|FxiOS\//],
  ['Chrome', /Chrome\/|CriOS\//],
  ['Safari', /Safari\//],
] as const

const systems = [
  ['Android', /Android/],
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X|Macintosh/],
  ['Linux', /Linux|X11/],
] as const

/** `Firefox, Linux`: enough to know one's own devices; a program by the first word that it sends. */
function browserName(words: Words, userAgent: string): string {
  const find = (list: readonly (readonly [string, RegExp])[]) =>
    list.find(([, form]) => form.test(userAgent))?.[0]
  const known = [find(browsers), find(systems)].filter((name) => name !== undefined)
  if (known.length > 0) return known.join(', ')
  return userAgent.split(/[\s/]/, 1).join() || words.unknownDevice
}
