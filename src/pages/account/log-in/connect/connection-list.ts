import type { Connection } from '../../../../accounts/index.ts'
import { type Html, html } from '../../../../lib/html.ts'
import { tokenField } from '../../../../ui/form.ts'
import { linkButton, submitButton } from '../../../../ui/parts/controls.ts'
import { table } from '../../../../ui/parts/lists.ts'
import { writeAgo } from '../../../../words/format.ts'
import type { PageCall } from '../../../page-call.ts'
import { formFault } from '../../settings/settings-frame.ts'
import { connectPath } from './provider-buttons.ts'

interface Connections {
  connections: readonly Connection[]
  /** Of an account that was to be disconnected. */
  fault: string | undefined
}

/** The connected accounts of the reader, and the providers that are left. */
export function connectionPart(call: PageCall, { connections, fault }: Connections): Html {
  const { words } = call.reader
  const rows = connections.map((connection) => [
    html`<span dir="auto">${connection.title}</span>`,
    accountOf(call, connection),
    lastUsedOf(call, connection),
    connection.identity
      ? disconnectForm(call, connection, connection.identity.id)
      : connectLink(call, connection),
  ])
  const columns = [words.connectionProvider, words.connectionAccount, words.lastUsed, words.action]
  return html`<p class="soft">${words.connectionsText}</p>
${formFault(fault)}
${table(
  words.connections,
  columns.map((name) => ({ name })),
  rows,
)}`
}

function accountOf({ reader: { words } }: PageCall, { identity, isEnabled }: Connection): Html {
  if (!identity) return html`<span class="soft">${words.notConnected}</span>`
  const note = isEnabled ? undefined : html` <span class="soft">${words.providerIsOff}</span>`
  return html`<span dir="auto" class="breaks">${identity.label}</span>${note}`
}

function lastUsedOf({ reader: { words, language }, site }: PageCall, { identity }: Connection): Html {
  if (!identity) return html`–`
  const { lastUsedAt } = identity
  if (!lastUsedAt) return html`${words.neverUsed}`
  return html`${writeAgo(language, lastUsedAt, site.clock.now()) ?? words.momentsAgo}`
}

const connectLink = ({ reader: { words } }: PageCall, { name, title }: Connection): Html =>
  linkButton(words.connectIt, connectPath(name, '/settings/security?saved=1'), {
    look: 'plain',
    isDense: true,
    more: { 'aria-label': words.connectTitle(title) },
  })

function disconnectForm({ reader }: PageCall, { title }: Connection, id: string): Html {
  const { words } = reader
  return html`<details class="fold"><summary class="button plain dense" aria-label="${words.disconnectIt}: ${title}">${words.disconnectIt}</summary><form method="post" action="/settings/security/connections/${id}/end">${tokenField(reader)}<p>${words.disconnectText}</p>${submitButton(words.disconnectIt, { look: 'danger', isDense: true })}</form></details>`
}
