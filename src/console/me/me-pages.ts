import { passkeyNotFound } from '../../accounts/index.ts'
import {
  addOperatorPasskey,
  beginOperatorPasskey,
  changeOperatorPassword,
  endOperatorSession,
  listOperatorSessions,
  type OperatorPasskey,
  type OperatorSession,
  type OwnOperator,
  readOwnOperator,
  removeOperatorPasskey,
  removeOperatorTotp,
  renameOperatorPasskey,
} from '../../control/index.ts'
import { routeNotFound } from '../../http/responses/errors.ts'
import { consoleCookie } from '../../http/session/session-cookie.ts'
import { type Html, html } from '../../lib/html.ts'
import { isId } from '../../lib/ids.ts'
import { Refusal } from '../../lib/refusal.ts'
import { browserName } from '../../ui/browser-name.ts'
import { tokenField } from '../../ui/form.ts'
import { linkButton, submitButton, textField } from '../../ui/parts/controls.ts'
import { chip, table } from '../../ui/parts/lists.ts'
import { banner } from '../../ui/parts/states.ts'
import { answerFields, hasPasskeys } from '../../ui/passkey-form.ts'
import { type FormFaults, noFaults } from '../../ui/refusal-words.ts'
import { orRefusal } from '../../ui/refused.ts'
import { writeAgo } from '../../words/format.ts'
import {
  type ConsoleAnswer,
  type ConsoleCall,
  type ConsoleHandler,
  type ConsoleRoute,
  callerOf,
  consolePath,
} from '../console-call.ts'
import { answerOfRefusal, consolePage, section } from '../frame.ts'
import { operatorRequestOf, signInFaults } from '../operator-request.ts'
import { renewCodes, setUpTotp, showTotp } from './totp.ts'

const showMe: ConsoleHandler = async (call) => ({ page: await mePage(call) })

const saved = { to: `${consolePath('me')}?saved=1` }

/** The result, or the page again with what was refused at the part that was sent. */
async function orRefused<T>(
  call: ConsoleCall,
  part: Refused['part'],
  change: Promise<T>,
): Promise<{ done: T } | { refused: ConsoleAnswer }> {
  const result = await orRefusal(change)
  if (!(result instanceof Refusal)) return { done: result }
  if (result.kind === 'not-found') throw result
  const faults = signInFaults(call.reader, result)
  return { refused: answerOfRefusal(result, await mePage(call, { part, faults })) }
}

const changePassword: ConsoleHandler = async (call) => {
  const { app, control, request, form } = call
  const given = { current: form.get('current') ?? '', password: form.get('password') ?? '' }
  const change = changeOperatorPassword(control, operatorRequestOf(call), callerOf(call), given)
  const result = await orRefused(call, 'password', change)
  if ('refused' in result) return result.refused
  return { ...saved, headers: { 'set-cookie': consoleCookie(app, request, result.done.token) } }
}

const postCreation: ConsoleHandler = async (call) => {
  if (!hasPasskeys(call)) throw routeNotFound()
  return { json: await beginOperatorPasskey(call.control, operatorRequestOf(call), callerOf(call)) }
}

const addPasskey: ConsoleHandler = async (call) => {
  const { control, form } = call
  if (!hasPasskeys(call)) throw routeNotFound()
  const passkey = {
    name: form.get('name')?.trim() ?? '',
    response: form.get('response') ?? '',
    challenge: form.get('challenge') ?? '',
  }
  const adding = addOperatorPasskey(control, operatorRequestOf(call), callerOf(call), passkey)
  const result = await orRefused(call, 'passkey', adding)
  return 'refused' in result ? result.refused : saved
}

const renamePasskey: ConsoleHandler = async (call) => {
  const given = { id: passkeyIn(call), name: call.form.get('name')?.trim() ?? '' }
  const renaming = renameOperatorPasskey(call.control, callerOf(call), given)
  const result = await orRefused(call, 'passkey', renaming)
  return 'refused' in result ? result.refused : saved
}

const removePasskey: ConsoleHandler = async (call) => {
  const { control } = call
  const removing = removeOperatorPasskey(control, operatorRequestOf(call), callerOf(call), passkeyIn(call))
  const result = await orRefused(call, 'passkey', removing)
  return 'refused' in result ? result.refused : saved
}

function passkeyIn({ params: { id = '' } }: ConsoleCall): string {
  if (!isId(id)) throw passkeyNotFound(id.slice(0, 64))
  return id
}

const removeTotp: ConsoleHandler = async (call) => {
  const removing = removeOperatorTotp(call.control, operatorRequestOf(call), callerOf(call))
  const result = await orRefused(call, 'totp', removing)
  return 'refused' in result ? result.refused : saved
}

const endSession: ConsoleHandler = async (call) => {
  const { id = '' } = call.params
  // One that has ended in the meantime is what was asked for.
  if (isId(id)) await orRefusal(endOperatorSession(call.control, callerOf(call), id))
  return callerOf(call).sessionId === id ? { to: consolePath('login') } : saved
}

interface Refused {
  part: 'password' | 'passkey' | 'totp'
  faults: FormFaults
}

async function mePage(call: ConsoleCall, refused?: Refused): Promise<string> {
  const { words } = call.reader
  const own = await readOwnOperator(call.control, callerOf(call))
  const sessions = await listOperatorSessions(call.control, callerOf(call))
  const faultsOf = (part: Refused['part']) => (refused?.part === part ? refused.faults : noFaults)
  const passwordTitle = own.hasPassword ? words.changePassword : words.setPassword
  const content = html`${section(passwordTitle, passwordForm(call, own, faultsOf('password')))}
${section(words.secondStep, totpPart(call, own, faultsOf('totp')))}
${section(words.passkeys, passkeyPart(call, own.passkeys, faultsOf('passkey')))}
${section(words.sessions, sessionList(call, sessions))}`
  return consolePage(call, { part: 'me', title: words.consoleMe, content })
}

function wholeFault(faults: FormFaults): Html | undefined {
  const text = faults.get('')
  return text === undefined ? undefined : banner(html`<p>${text}</p>`, 'danger')
}

function passwordForm(call: ConsoleCall, { hasPassword }: OwnOperator, faults: FormFaults): Html {
  const { words } = call.reader
  const current = textField({
    label: words.currentPassword,
    name: 'current',
    fault: faults.get('current'),
    more: { type: 'password', autocomplete: 'current-password', required: true },
  })
  return html`<form method="post" action="${consolePath('me/password')}" class="stack">
${tokenField(call.reader)}
${wholeFault(faults)}
<input name="username" value="${callerOf(call).username}" type="text" autocomplete="username" readonly hidden>
${hasPassword ? current : html`<p>${words.setPasswordText}</p>`}
${textField({
  label: words.newPassword,
  name: 'password',
  hint: words.passwordHint,
  fault: faults.get('password'),
  more: { type: 'password', autocomplete: 'new-password', required: true },
})}
<p class="soft">${words.consolePasswordText}</p>
<p>${submitButton(passwordButton(call, hasPassword))}</p>
</form>`
}

const passwordButton = ({ reader: { words } }: ConsoleCall, hasPassword: boolean): string =>
  hasPassword ? words.changePassword : words.setPassword

function totpPart({ reader, control }: ConsoleCall, { totp }: OwnOperator, faults: FormFaults): Html {
  const { words, language } = reader
  if (!totp)
    return html`<p class="soft">${words.secondStepText}</p><p>${linkButton(words.secondStepSetUp, consolePath('me/totp'), { look: 'plain' })}</p>`
  const ago = writeAgo(language, totp.since, control.clock.now()) ?? words.momentsAgo
  const left = html`<p>${words.codesLeft(String(totp.codesLeft))}</p>`
  const form = (path: string, label: string, look: 'plain' | 'danger') =>
    html`<form method="post" action="${consolePath(path)}">${tokenField(reader)}${submitButton(label, { look })}</form>`
  return html`${wholeFault(faults)}<p>${words.totpSince(ago)}</p>
${totp.codesLeft <= 3 ? banner(left, 'warn') : left}
<div class="actions">${linkButton(words.secondStepChange, consolePath('me/totp'), { look: 'plain' })}${form('me/totp/codes', words.renewCodes, 'plain')}${form('me/totp/off', words.totpOff, 'danger')}</div>`
}

function passkeyPart(call: ConsoleCall, passkeys: readonly OperatorPasskey[], faults: FormFaults): Html {
  const { words } = call.reader
  return html`<p class="soft">${words.passkeysText}</p>
${wholeFault(faults)}
${passkeys.length > 0 ? passkeyList(call, passkeys) : undefined}
${hasPasskeys(call) ? passkeyCreation(call, faults) : banner(html`<p>${words.passkeysNeedHttps}</p>`, 'warn')}`
}

function passkeyList({ reader, control }: ConsoleCall, passkeys: readonly OperatorPasskey[]): Html {
  const { words, language } = reader
  const now = control.clock.now()
  const fold = (label: string, name: string, content: Html) =>
    html`<details class="fold"><summary class="button plain dense" aria-label="${label}: ${name}">${label}</summary>${content}</details>`
  const rows = passkeys.map(({ id, name, hostname, createdAt, lastUsedAt }) => {
    const remove = html`<form method="post" action="${consolePath(`me/passkeys/${id}/remove`)}">${tokenField(reader)}<p>${words.passkeyRemoveText}</p>${submitButton(words.passkeyRemoveYes, { look: 'danger', isDense: true })}</form>`
    const rename = html`<form method="post" action="${consolePath(`me/passkeys/${id}/rename`)}" class="stack">${tokenField(reader)}${textField({ label: words.passkeyName, name: 'name', id: `passkey-name-${id}`, value: name, more: { required: true, maxlength: 64, autocomplete: 'off', dir: 'auto' } })}${submitButton(words.save, { look: 'plain', isDense: true })}</form>`
    return [
      html`<span dir="auto">${name}</span>`,
      html`<span class="breaks">${hostname}</span>`,
      html`${writeAgo(language, createdAt, now) ?? words.momentsAgo}`,
      html`${lastUsedAt ? (writeAgo(language, lastUsedAt, now) ?? words.momentsAgo) : words.neverUsed}`,
      html`<div class="actions">${fold(words.passkeyRename, name, rename)}${fold(words.passkeyRemove, name, remove)}</div>`,
    ]
  })
  const names = [words.keyName, words.consoleHost, words.passkeyMade, words.lastUsed, words.action]
  const columns = names.map((name) => ({ name }))
  return table(words.passkeys, columns, rows)
}

function passkeyCreation({ reader, form }: ConsoleCall, faults: FormFaults): Html {
  const { words } = reader
  return html`<form method="post" action="${consolePath('me/passkeys')}" class="stack passkey-form" data-passkey="creation" data-from="${consolePath('me/passkeys')}" hidden>
${tokenField(reader)}
${answerFields}
${textField({
  label: words.passkeyName,
  name: 'name',
  id: 'passkey-name',
  value: form.has('challenge') ? (form.get('name') ?? '') : '',
  hint: words.passkeyNameHint,
  fault: faults.get('name'),
  more: { required: true, maxlength: 64, autocomplete: 'off', dir: 'auto' },
})}
<p>${submitButton(words.passkeyAdd, { look: 'plain' })}</p>
<p class="fault" role="alert" hidden>${words.passkeyFailed}</p>
</form>
<noscript><p>${words.passkeysNeedScript}</p></noscript>`
}

function sessionList(call: ConsoleCall, sessions: readonly OperatorSession[]): Html {
  const { reader, control } = call
  const { words, language } = reader
  const now = control.clock.now()
  const rows = sessions.map(({ id, userAgent, address, lastUsedAt }) => {
    const name = browserName(words, userAgent)
    const more = { 'aria-label': `${words.endSession}: ${name}, ${address}` }
    const isOwn = id === callerOf(call).sessionId
    return [
      html`<span class="with-chip"><span dir="auto">${name}</span>${isOwn ? chip(words.thisSession, 'good') : undefined}</span>`,
      html`<span class="mono">${address}</span>`,
      html`${writeAgo(language, lastUsedAt, now) ?? words.momentsAgo}`,
      html`<form method="post" action="${consolePath(`me/sessions/${id}/end`)}">${tokenField(reader)}${submitButton(words.endSession, { look: 'plain', isDense: true, more })}</form>`,
    ]
  })
  const columns = [words.device, words.networkAddress, words.lastUsed, words.action].map((name) => ({ name }))
  return table(words.sessions, columns, rows)
}

const ofMe = { access: 'viewer', proof: true, page: 'me' } as const

/** The account of the operator who is logged in. */
export const mePages: readonly ConsoleRoute[] = [
  { method: 'GET', path: 'me', handle: showMe },
  { method: 'POST', path: 'me/password', ...ofMe, handle: changePassword },
  { method: 'POST', path: 'me/passkeys/creation', ...ofMe, isForScript: true, handle: postCreation },
  { method: 'POST', path: 'me/passkeys', ...ofMe, handle: addPasskey },
  { method: 'POST', path: 'me/passkeys/{id}/rename', ...ofMe, handle: renamePasskey },
  { method: 'POST', path: 'me/passkeys/{id}/remove', ...ofMe, handle: removePasskey },
  { method: 'GET', path: 'me/totp', proof: true, handle: showTotp },
  {
    method: 'POST',
    path: 'me/totp',
    access: 'viewer',
    proof: true,
    page: 'me/totp',
    keeps: ['setup'],
    handle: setUpTotp,
  },
  { method: 'POST', path: 'me/totp/codes', ...ofMe, handle: renewCodes },
  { method: 'POST', path: 'me/totp/off', ...ofMe, handle: removeTotp },
  { method: 'POST', path: 'me/sessions/{id}/end', access: 'viewer', page: 'me', handle: endSession },
]
