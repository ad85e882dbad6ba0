import {
  createOperator,
  deleteOperator,
  type InvitedOperator,
  type ListedOperator,
  listOperators,
  type OperatorRole,
  operatorNotFound,
  operatorRoles,
  resetOperator,
  setOperatorRole,
} from '../../control/index.ts'
import { inviteUrl } from '../../http/addresses/console-address.ts'
import { badRequest } from '../../http/responses/errors.ts'
import { attributes, type Html, html } from '../../lib/html.ts'
import { isId } from '../../lib/ids.ts'
import { Refusal } from '../../lib/refusal.ts'
import { tokenField } from '../../ui/form.ts'
import { codeField, selectField, submitButton, textField } from '../../ui/parts/controls.ts'
import { chip, table } from '../../ui/parts/lists.ts'
import { banner } from '../../ui/parts/states.ts'
import type { Reader } from '../../ui/reader.ts'
import { type FormFaults, noFaults, refusalInWords, textsBesides } from '../../ui/refusal-words.ts'
import { orRefusal } from '../../ui/refused.ts'
import type { Words } from '../../words/en.ts'
import { timeTag, writeAgo, writeCount } from '../../words/format.ts'
import {
  type ConsoleCall,
  type ConsoleHandler,
  type ConsoleRoute,
  consolePath,
  isKept,
  mayChange,
} from '../console-call.ts'
import { answerOfRefusal, consolePage, section } from '../frame.ts'

const showOperators: ConsoleHandler = async (call) => ({ page: await operatorsPage(call) })

const addOperator: ConsoleHandler = async (call) => {
  const { control, form } = call
  const username = form.get('username')?.trim() ?? ''
  const invited = await orRefusal(createOperator(control, { username, role: roleIn(call) }))
  if (!(invited instanceof Refusal)) return { page: await operatorsPage(call, { invited }) }
  const faults =
    invited.code === 'operator-name-taken'
      ? new Map([['username', call.reader.words.usernameTaken]])
      : refusalInWords(call.reader, invited)
  return answerOfRefusal(invited, await operatorsPage(call, { faults }))
}

const changeRole: ConsoleHandler = async (call) => {
  const id = idIn(call)
  return orRefused(call, setOperatorRole(call.control, { id }, roleIn(call)))
}

const reset: ConsoleHandler = async (call) => ({
  page: await operatorsPage(call, { invited: await resetOperator(call.control, { id: idIn(call) }) }),
})

const remove: ConsoleHandler = async (call) => {
  const id = idIn(call)
  return orRefused(call, deleteOperator(call.control, { id }))
}

/** The list, with why a change was refused above it. */
async function orRefused(call: ConsoleCall, change: Promise<unknown>): ReturnType<ConsoleHandler> {
  const result = await orRefusal(change)
  if (!(result instanceof Refusal)) return { to: `${consolePath('operators')}?saved=1` }
  if (result.kind === 'not-found') throw result
  return answerOfRefusal(result, await operatorsPage(call, { faults: refusalInWords(call.reader, result) }))
}

function idIn({ params: { id = '' } }: ConsoleCall): string {
  if (!isId(id)) throw operatorNotFound(id.slice(0, 64))
  return id
}

function roleIn({ form }: ConsoleCall): OperatorRole {
  const text = form.get('role') ?? 'operator'
  const role = operatorRoles.find((each) => each === text)
  if (!role) throw badRequest(`role: must be one of ${operatorRoles.join(', ')}, not "${text.slice(0, 20)}"`)
  return role
}

interface Shown {
  /** Whose link is shown, this once. */
  invited?: InvitedOperator
  faults?: FormFaults
}

async function operatorsPage(call: ConsoleCall, { invited, faults = noFaults }: Shown = {}): Promise<string> {
  const { words } = call.reader
  const facts = [words.username, words.consoleRole, words.consoleState, words.consoleLastLogIn]
  const names = mayChange(call) ? [...facts, words.action] : facts
  const operators = await listOperators(call.control)
  const list = table(
    words.consoleOperators,
    names.map((name) => ({ name })),
    operators.map((operator) => cellsOf(call, operator)),
  )
  const content = html`<p class="soft">${words.consoleOperatorsText}</p>
${textsBesides(faults, ['username']).map((text) => banner(html`<p>${text}</p>`, 'danger'))}
${invited && inviteOf(call, invited)}
${list}
${mayChange(call) ? section(words.consoleNewOperator, operatorForm(call, faults)) : undefined}`
  return consolePage(call, { part: 'operators', title: words.consoleOperators, content })
}

function inviteOf({ app, reader, request }: ConsoleCall, invited: InvitedOperator): Html {
  const { words, language } = reader
  const { operator, token, expiresAt } = invited
  const address = inviteUrl(app.config, token, request.client.scheme)
  return banner(
    html`<p>${words.consoleInviteText(operator.username)} ${timeTag(language, expiresAt, 'UTC')}</p>
${codeField({ id: 'invite', label: words.consoleInvite, text: address, copy: { label: words.copy, name: words.consoleCopyInvite } })}`,
    'good',
  )
}

const roleOptions = (words: Words) => operatorRoles.map((role) => [role, words.consoleRoles[role]] as const)

function cellsOf(call: ConsoleCall, operator: ListedOperator): Html[] {
  const { reader, control, caller } = call
  const { words, language } = reader
  const { id, username, role, isSetUp, lastLoginAt } = operator
  const isOwn = id === caller?.operatorId
  const action = (path: string, label: string, look: 'plain' | 'danger') =>
    html`<form method="post" action="${consolePath(`operators/${id}/${path}`)}">${tokenField(reader)}${submitButton(label, { look, isDense: true, more: { 'aria-label': `${label}: ${username}` } })}</form>`
  const actions = html`<div class="actions">${action('reset', words.consoleReset, 'plain')}${isOwn ? undefined : action('delete', words.consoleDelete, 'danger')}</div>`
  return [
    html`<span class="with-chip"><span dir="auto">${username}</span>${isOwn ? chip(words.consoleYou, 'accent') : undefined}</span>`,
    mayChange(call) ? roleForm(call, operator) : html`${words.consoleRoles[role]}`,
    isSetUp ? html`<div>${factorsOf(reader, operator)}</div>` : chip(words.consoleNotSetUp, 'warn'),
    html`${lastLoginAt ? (writeAgo(language, lastLoginAt, control.clock.now()) ?? words.momentsAgo) : words.never}`,
    ...(mayChange(call) ? [actions] : []),
  ]
}

function roleForm({ reader }: ConsoleCall, { id, username, role }: ListedOperator): Html {
  const { words } = reader
  const options = roleOptions(words).map(
    ([value, text]) => html`<option${attributes({ value, selected: value === role })}>${text}</option>`,
  )
  const more = { 'aria-label': `${words.save}: ${username}` }
  return html`<form method="post" action="${consolePath(`operators/${id}/role`)}" class="row-form">${tokenField(reader)}<select class="input" name="role" aria-label="${words.consoleRole}: ${username}">${options}</select>${submitButton(words.save, { look: 'plain', isDense: true, more })}</form>`
}

const factorsOf = ({ words, language }: Reader, { passkeys, hasTotp }: ListedOperator): Html[] =>
  [
    ...(hasTotp ? [words.consolePasswordAndCode] : []),
    ...(passkeys > 0 ? [writeCount(language, words.consolePasskeys, passkeys)] : []),
  ].map((text) => html`<div>${text}</div>`)

function operatorForm(call: ConsoleCall, faults: FormFaults): Html {
  const { reader, form } = call
  const { words } = reader
  const isFilled = faults.size > 0 || isKept(call)
  return html`<form method="post" action="${consolePath('operators')}" class="stack">
${tokenField(reader)}
${textField({
  label: words.username,
  name: 'username',
  hint: words.consoleUsernameHint,
  value: isFilled ? (form.get('username') ?? '') : '',
  fault: faults.get('username'),
  more: {
    required: true,
    maxlength: 32,
    autocapitalize: 'none',
    autocomplete: 'off',
    spellcheck: 'false',
  },
})}
${selectField({
  label: words.consoleRole,
  name: 'role',
  hint: words.consoleRoleHint,
  value: isFilled ? (form.get('role') ?? 'operator') : 'operator',
  options: roleOptions(words),
})}
<p>${submitButton(words.consoleCreateOperator)}</p>
</form>`
}

const ofOperators = { proof: true, page: 'operators' } as const

export const operatorPages: readonly ConsoleRoute[] = [
  { method: 'GET', path: 'operators', handle: showOperators },
  {
    method: 'POST',
    path: 'operators',
    ...ofOperators,
    keeps: ['username', 'role'],
    handle: addOperator,
  },
  { method: 'POST', path: 'operators/{id}/role', ...ofOperators, handle: changeRole },
  { method: 'POST', path: 'operators/{id}/reset', ...ofOperators, handle: reset },
  { method: 'POST', path: 'operators/{id}/delete', ...ofOperators, handle: remove },
]
