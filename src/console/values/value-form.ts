import { type Html, html } from '../../lib/html.ts'
import type { Refusal } from '../../lib/refusal.ts'
import { locationValues, type ValueName, valueNames } from '../../site/index.ts'
import { maxValueBytes, type ValueChange, type Values } from '../../tenants/index.ts'
import { tokenField } from '../../ui/form.ts'
import { selectField, submitButton, textField } from '../../ui/parts/controls.ts'
import { banner } from '../../ui/parts/states.ts'
import { type FormFaults, faultText, noFaults, refusalText, textsBesides } from '../../ui/refusal-words.ts'
import type { Words } from '../../words/en.ts'
import type { ConsoleCall } from '../console-call.ts'
import { versionField } from '../version-in.ts'

/** What a form asks for: a value that is set, or one that is taken away. */
export function changeIn(form: URLSearchParams): ValueChange {
  const given = form.get('in')
  const removed = form.get('remove')?.trim()
  if (removed !== undefined && removed !== '')
    return {
      name: removed,
      in: given === 'limits' || given === 'env' ? given : undefined,
      value: undefined,
    }
  return {
    name: form.get('name')?.trim() ?? '',
    in: given === 'env' ? 'env' : 'limits',
    value: form.get('value') ?? '',
  }
}

/** A refusal at the field that it is about: a fault names the entry of a map. */
export function faultsOfChange({ reader }: ConsoleCall, refusal: Refusal): FormFaults {
  const [fault] = refusal.faults
  if (!fault) return new Map([['', refusalText(reader, refusal)]])
  const fields: Readonly<Record<string, string>> = { valueName: 'name', valueInEnv: 'in', mostEntries: '' }
  return new Map([[fields[fault.code] ?? 'value', faultText(reader.words, fault)]])
}

interface ValueForm {
  /** Where the form is sent to. */
  address: string
  /** What is edited, with its own level of values. */
  of: { limits: Values; env: Values; updatedAt: Date }
  button: string
  faults?: FormFaults
}

const formFields = ['name', 'in', 'value']

/** What is kept of the form. */
export const valueFields: readonly string[] = [...formFields, 'updated_at']

/** Sets one value. A refused form keeps what was typed; a link of the list fills in what is set. */
export function valueForm(call: ConsoleCall, { address, of, button, faults = noFaults }: ValueForm): Html {
  const { words } = call.reader
  const { name, level, value, hasFocus, isHidden } = shownIn(call, of)
  const about = aboutOf(words, name)
  const focus = (field: string) => ({ autofocus: faults.has(field) || (hasFocus && field === 'value') })
  return html`<form method="post" action="${address}" class="stack value-form">
${tokenField(call.reader)}${versionField(of, call)}
${textsBesides(faults, formFields).map((text) => banner(html`<p>${text}</p>`, 'danger'))}
${textField({
  label: words.valueColumns.name,
  name: 'name',
  value: name,
  ...(about !== undefined && { hint: about }),
  fault: faults.get('name'),
  more: { ...plainText, ...focus('name'), list: 'value-names', maxlength: 64 },
})}
${selectField({
  label: words.valueLevel,
  name: 'in',
  value: level,
  fault: faults.get('in'),
  options: [
    ['limits', words.valueInLimits],
    ['env', words.valueInEnv],
  ],
  more: focus('in'),
})}
${textField({
  label: words.valueValue,
  name: 'value',
  value,
  ...(isHidden && { hint: words.valueKeepHint }),
  fault: faults.get('value'),
  more: { ...plainText, ...focus('value'), maxlength: maxValueBytes },
})}
<datalist id="value-names">${valueNames.map((each) => html`<option value="${each}">${words.valueTexts[each]}</option>`)}</datalist>
<p>${submitButton(button)}</p>
</form>`
}

const plainText = { autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' }

function shownIn({ form, query }: ConsoleCall, { limits, env }: ValueForm['of']) {
  const isSent = form.has('name')
  const name = (isSent ? form.get('name') : query.get('name'))?.slice(0, 200) ?? ''
  const usual = Object.hasOwn(env, name) || locationValues.some((each) => each === name) ? 'env' : 'limits'
  const level = (isSent ? form.get('in') : query.get('in')) ?? usual
  const isHidden = !isSent && level === 'env' && Object.hasOwn(env, name)
  const known = level === 'limits' && Object.hasOwn(limits, name) ? (limits[name] ?? '') : ''
  return {
    name,
    level,
    value: isSent ? (form.get('value') ?? '') : known,
    hasFocus: !isSent && name !== '',
    isHidden,
  }
}

/** What a value is for; undefined for one that only this installation knows. The compiler asks for a text of each value. */
export function aboutOf({ valueTexts }: Words, name: string): string | undefined {
  const texts: Readonly<Record<ValueName, string>> = valueTexts
  const known = valueNames.find((each) => each === name)
  return known && texts[known]
}
