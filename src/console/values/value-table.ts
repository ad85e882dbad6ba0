import { attributes, type Html, html } from '../../lib/html.ts'
import { limitNames, switchNames } from '../../site/index.ts'
import {
  isSecretLevel,
  type Level,
  type LeveledValue,
  type ValueChange,
  type Values,
} from '../../tenants/index.ts'
import { tokenField } from '../../ui/form.ts'
import { submitButton, textField } from '../../ui/parts/controls.ts'
import { linkChip, table } from '../../ui/parts/lists.ts'
import { emptyState } from '../../ui/parts/states.ts'
import type { Words } from '../../words/en.ts'
import { writeNumber } from '../../words/format.ts'
import { type ConsoleCall, mayChange } from '../console-call.ts'
import { versionField } from '../version-in.ts'
import { aboutOf } from './value-form.ts'

const levels = [
  'default',
  'process',
  'plan_limits',
  'plan_env',
  'tenant_limits',
  'tenant_env',
  'enforced',
] as const satisfies readonly Level[]

const groups = ['all', 'set', 'limits', 'switches', 'others'] as const
type Group = (typeof groups)[number]

interface ValueTable {
  /** Of the page, without its query. */
  address: string
  updatedAt: Date
  values: readonly LeveledValue[]
  /** Secret values are shown, this once. */
  isRevealed: boolean
}

/** Every value of a tenant: those that a level sets first, and of those only what the reader has asked for. */
export function valueTable(call: ConsoleCall, shown: ValueTable): Html {
  const { words } = call.reader
  const found = wanted(call, shown.values)
  const rows = [...found.filter(isSet), ...found.filter((value) => !isSet(value))]
  const columns = (['name', 'inForce', 'from', ...levels] as const).map((name) => ({
    name: words.valueColumns[name],
  }))
  const list =
    rows.length === 0
      ? emptyState({ title: words.valueNone, text: words.valueNoneText })
      : html`<div class="values">${table(
          words.valueShown,
          columns,
          rows.map((value) => cellsOf(call, shown, value)),
        )}</div>`
  return html`${filterOf(call, shown)}${list}`
}

/** The address of the list as it is filtered, with other parameters. */
export function withFilter(
  address: string,
  query: URLSearchParams,
  changes: Readonly<Record<string, string | undefined>> = {},
): string {
  const own = new URLSearchParams()
  for (const name of ['show', 'q']) own.set(name, query.get(name) ?? '')
  for (const [name, value] of Object.entries(changes)) own.set(name, value ?? '')
  for (const [name, value] of [...own]) if (value === '') own.delete(name)
  return own.size === 0 ? address : `${address}?${own}`
}

/** Whether a level above the default sets it. */
const isSet = ({ levels: own }: LeveledValue): boolean => [...own.keys()].some((level) => level !== 'default')

const belongs: Readonly<Record<Group, (value: LeveledValue) => boolean>> = {
  all: () => true,
  set: isSet,
  limits: ({ name }) => limitNames.has(name),
  switches: ({ name }) => switchNames.has(name),
  others: ({ name }) => !limitNames.has(name) && !switchNames.has(name),
}

const groupIn = (query: URLSearchParams): Group =>
  groups.find((group) => group === query.get('show')) ?? 'all'

function wanted({ query, reader: { words } }: ConsoleCall, values: readonly LeveledValue[]): LeveledValue[] {
  const text = query.get('q')?.trim().toLowerCase() ?? ''
  const isFound = ({ name }: LeveledValue) =>
    `${name} ${aboutOf(words, name) ?? ''}`.toLowerCase().includes(text)
  return values.filter((value) => belongs[groupIn(query)](value) && isFound(value))
}

function filterOf(call: ConsoleCall, { address, values }: ValueTable): Html {
  const { query, reader } = call
  const { words, language } = reader
  const names = {
    all: words.valueAll,
    set: words.valueSet,
    limits: words.valueLimits,
    switches: words.valueSwitches,
    others: words.valueOthers,
  }
  const chips = groups.map((group) => {
    const count = writeNumber(language, values.filter(belongs[group]).length)
    const target = withFilter(address, query, { show: group === 'all' ? undefined : group })
    return linkChip(`${names[group]} ${count}`, target, group === groupIn(query))
  })
  const kept =
    groupIn(query) === 'all' ? undefined : html`<input name="show" value="${groupIn(query)}" type="hidden">`
  return html`<form action="${address}" role="search" class="filters" aria-label="${words.valueFilter}">${kept}${textField(
    {
      label: words.valueFind,
      name: 'q',
      value: query.get('q') ?? '',
      more: { type: 'search', maxlength: 100, autocapitalize: 'off', spellcheck: 'false' },
    },
  )}${submitButton(words.valueFilter, { look: 'plain', icon: 'search' })}</form>
<nav class="chips" aria-label="${words.valueShown}">${chips}</nav>`
}

function cellsOf(call: ConsoleCall, shown: ValueTable, value: LeveledValue): Html[] {
  const { words } = call.reader
  const { name, inForce, levels: own } = value
  const write = (level: Level, text: string) =>
    isSecretLevel(level, name) && !shown.isRevealed ? hidden(words) : plain(words, text)
  const cells = levels.map((level) => {
    const text = own.get(level)
    if (text === undefined) return html``
    return html`<span class="value">${write(level, text)}${removeButton(call, shown, value, level)}</span>`
  })
  return [
    nameOf(call, shown, name),
    inForce ? html`<strong>${write(inForce.level, inForce.value)}</strong>` : html``,
    inForce ? html`${words.valueColumns[inForce.level]}` : html``,
    ...cells,
  ]
}

/** Leads to the form with what is set. What it is for stands below it: `console.css` writes it, the header is the name alone. */
function nameOf(call: ConsoleCall, { address }: ValueTable, name: string): Html {
  const about = aboutOf(call.reader.words, name)
  const own = { class: 'breaks', 'data-about': about, 'aria-description': about }
  if (!mayChange(call)) return html`<span${attributes(own)}>${nameText(name)}</span>`
  return html`<a${attributes({ href: `${withFilter(address, call.query, { name })}`, ...own })}>${nameText(name)}</a>`
}

/** A long name breaks behind its underscores, not inside a word. */
export const nameText = (name: string): Html =>
  name
    .split('_')
    .map((word) => html`${word}`)
    .reduce((before, word) => html`${before}_<wbr>${word}`)

/** Dots, as many for every secret. */
export const hidden = (words: Words): Html =>
  html`<span class="dots" title="${words.valueHidden}">••••</span>`

export const plain = (words: Words, text: string): Html =>
  text === '' ? html`<span class="soft">${words.conflictEmpty}</span>` : html`<span dir="auto">${text}</span>`

/** Only what the tenant itself sets can be taken away here. */
function removeButton(
  call: ConsoleCall,
  { address, updatedAt }: ValueTable,
  { name, levels: own }: LeveledValue,
  level: Level,
): Html | undefined {
  if (!mayChange(call) || (level !== 'tenant_limits' && level !== 'tenant_env')) return undefined
  const { words } = call.reader
  const isOnBoth = own.has('tenant_limits') && own.has('tenant_env')
  const label = isOnBoth ? words.valueRemoveFrom(name, words.valueColumns[level]) : words.valueRemove(name)
  return removeForm(call, {
    address: withFilter(address, call.query),
    updatedAt,
    name,
    level: level === 'tenant_env' ? 'env' : 'limits',
    label,
  })
}

interface RemoveForm {
  address: string
  updatedAt: Date
  name: string
  level: 'limits' | 'env'
  label: string
}

export const removeForm = (
  { reader }: ConsoleCall,
  { address, updatedAt, name, level, label }: RemoveForm,
): Html =>
  html`<form method="post" action="${address}">${tokenField(reader)}${versionField({ updatedAt })}<input name="in" value="${level}" type="hidden">${submitButton(label, { look: 'quiet', icon: 'close', isDense: true, hasOnlyIcon: true, more: { name: 'remove', value: name } })}</form>`

/** What a tenant or plan itself says now about the value that was to be changed. */
export function valueNow(
  { reader: { words } }: ConsoleCall,
  of: { limits: Values; env: Values },
  change: ValueChange,
): Html {
  const level = change.in ?? 'limits'
  const now = Object.hasOwn(of[level], change.name) ? of[level][change.name] : undefined
  if (now === undefined) return html`${words.valueNotSet}`
  return level === 'env' ? hidden(words) : plain(words, now)
}
