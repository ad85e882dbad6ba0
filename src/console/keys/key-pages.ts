import { type ControlKey, createKey, deleteKey, keyNotFound, listKeys } from '../../control/index.ts'
import { broken, type Fault } from '../../lib/faults.ts'
import { type Html, html } from '../../lib/html.ts'
import { invalidFields, Refusal } from '../../lib/refusal.ts'
import { parseWholeNumber } from '../../lib/sizes.ts'
import { tokenField } from '../../ui/form.ts'
import { codeField, submitButton, textField } from '../../ui/parts/controls.ts'
import { chip, table } from '../../ui/parts/lists.ts'
import { banner, emptyState } from '../../ui/parts/states.ts'
import { type FormFaults, noFaults, refusalInWords, textsBesides } from '../../ui/refusal-words.ts'
import { orRefusal } from '../../ui/refused.ts'
import { timeTag } from '../../words/format.ts'
import {
  type ConsoleCall,
  type ConsoleHandler,
  type ConsoleRoute,
  consolePath,
  isKept,
  mayChange,
} from '../console-call.ts'
import { answerOfRefusal, consolePage, section } from '../frame.ts'

const showKeys: ConsoleHandler = async (call) => ({ page: await keysPage(call) })

const makeKey: ConsoleHandler = async (call) => {
  const { control, form } = call
  const name = form.get('name')?.trim() || undefined
  const made = await orRefusal(
    (async () => createKey(control, { name, expiresAt: expiryIn(form.get('expires_at')?.trim() ?? '') }))(),
  )
  if (made instanceof Refusal)
    return answerOfRefusal(made, await keysPage(call, { faults: refusalInWords(call.reader, made) }))
  return { page: await keysPage(call, { key: made.key }) }
}

const removeKey: ConsoleHandler = async ({ control, params: { id = '' } }) => {
  const number = parseWholeNumber(id)
  if (number === undefined) throw keyNotFound(id.slice(0, 20))
  await deleteKey(control, { id: number })
  return { to: `${consolePath('keys')}?saved=1` }
}

/** A day lasts until its end. */
function expiryIn(text: string): Date | undefined {
  if (text === '') return undefined
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text)
  const at = new Date(isDay ? `${text}T23:59:59.999Z` : text)
  // Date takes 30 February for 2 March.
  if (Number.isNaN(at.getTime()) || (isDay && !at.toISOString().startsWith(text))) throw notADay()
  return at
}

const notADay = () => {
  const fault: Fault = { field: 'expires_at', ...broken('day') }
  return invalidFields([fault], 'invalid-key')
}

interface Shown {
  faults?: FormFaults
  /** Of the key that was just created. */
  key?: string
}

async function keysPage(call: ConsoleCall, { faults = noFaults, key }: Shown = {}): Promise<string> {
  const { reader, control } = call
  const { words } = reader
  const keys = await listKeys(control)
  const facts = [words.keyName, words.consoleCreated, words.consoleExpires]
  const names = mayChange(call) ? [...facts, words.action] : facts
  const list =
    keys.length === 0
      ? emptyState({ title: words.consoleNoKeys, text: words.consoleNoKeysText })
      : table(
          words.consoleKeys,
          names.map((name) => ({ name })),
          keys.map((each) => cellsOf(call, each)),
        )
  const content = html`<p class="soft">${words.consoleKeysText}</p>
${key === undefined ? undefined : newKey(call, key)}
${list}
${mayChange(call) ? keyForm(call, key === undefined ? faults : noFaults) : undefined}`
  return consolePage(call, { part: 'keys', title: words.consoleKeys, content })
}

const newKey = ({ reader: { words } }: ConsoleCall, key: string): Html =>
  banner(
    html`<p>${words.consoleKeyOnce}</p>${codeField({ id: 'new-key', label: words.consoleNewKey, text: key, copy: { label: words.copy, name: words.consoleCopyKey } })}`,
    'good',
  )

function cellsOf(call: ConsoleCall, { id, name, createdAt, expiresAt }: ControlKey): Html[] {
  const { words, language } = call.reader
  const isOver = expiresAt !== undefined && expiresAt <= call.control.clock.now()
  const remove = html`<form method="post" action="${consolePath(`keys/${id}/delete`)}">${tokenField(call.reader)}${submitButton(words.consoleDelete, { look: 'danger', isDense: true, more: { 'aria-label': `${words.consoleDelete}: ${name ?? id}` } })}</form>`
  return [
    html`<span dir="auto">${name ?? words.consoleKeyNumber(String(id))}</span>`,
    timeTag(language, createdAt, 'UTC'),
    expiresAt === undefined
      ? html`${words.never}`
      : html`<span class="with-chip">${timeTag(language, expiresAt, 'UTC')}${isOver ? chip(words.consoleExpired, 'warn') : undefined}</span>`,
    ...(mayChange(call) ? [remove] : []),
  ]
}

function keyForm(call: ConsoleCall, faults: FormFaults): Html {
  const { reader, form } = call
  const { words } = reader
  const besides = textsBesides(faults, ['name', 'expires', 'expires_at'])
  const isFilled = faults.size > 0 || isKept(call)
  return section(
    words.consoleNewKeyTitle,
    html`<form method="post" action="${consolePath('keys')}" class="stack">
${tokenField(reader)}
${besides.map((text) => banner(html`<p>${text}</p>`, 'danger'))}
${textField({
  label: words.consoleName,
  name: 'name',
  hint: words.consoleKeyNameHint,
  value: isFilled ? (form.get('name') ?? '') : '',
  fault: faults.get('name'),
  more: { maxlength: 100, autocomplete: 'off', dir: 'auto' },
})}
${textField({
  label: words.consoleExpires,
  name: 'expires_at',
  hint: words.consoleKeyExpiresHint,
  value: isFilled ? (form.get('expires_at') ?? '') : '',
  fault: faults.get('expires') ?? faults.get('expires_at'),
  more: { type: 'date' },
})}
<p>${submitButton(words.consoleCreateKey)}</p>
</form>`,
  )
}

export const keyPages: readonly ConsoleRoute[] = [
  { method: 'GET', path: 'keys', handle: showKeys },
  {
    method: 'POST',
    path: 'keys',
    proof: true,
    page: 'keys',
    keeps: ['name', 'expires_at'],
    handle: makeKey,
  },
  { method: 'POST', path: 'keys/{id}/delete', proof: true, page: 'keys', handle: removeKey },
]
