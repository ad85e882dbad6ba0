import { presetBounds, presetWords } from '../../../../common/preset-rules.ts'
import { type Html, html } from '../../../../lib/html.ts'
import { type Preset, type PresetOptions, presetOptionNames } from '../../../../media/index.ts'
import { conflictPart } from '../../../../ui/conflicts.ts'
import { tokenField } from '../../../../ui/form.ts'
import {
  checkField,
  linkButton,
  selectField,
  submitButton,
  textField,
} from '../../../../ui/parts/controls.ts'
import { type FormFaults, textsBesides } from '../../../../ui/refusal-words.ts'
import type { Words } from '../../../../words/en.ts'
import { writeNumber } from '../../../../words/format.ts'
import { proofField } from '../../../account/proof.ts'
import { formFault } from '../../../account/settings/settings-frame.ts'
import type { PageCall } from '../../../page-call.ts'
import { presetsPath } from '../setting-tabs.ts'

type OptionName = (typeof presetOptionNames)[number]

/** As they were sent, or as the preset has them. */
export type FormFields = Readonly<Record<OptionName | 'name' | 'version', string>>

const textOf = (value: string | number | boolean = '') =>
  typeof value === 'boolean' ? String(Number(value)) : String(value)

export const fieldsOfPreset = ({ name, options, version }: Preset): FormFields => ({
  name,
  ...optionTexts(options),
  version: String(version),
})

const optionTexts = (options: PresetOptions) =>
  Object.fromEntries(presetOptionNames.map((name) => [name, textOf(options[name])])) as Record<
    OptionName,
    string
  >

export const emptyFields: FormFields = { name: '', ...optionTexts({ fit: 'scale-down' }), version: '' }

/** A preset that says that animations are stills says so again if the box stays empty. */
export function fieldsOfForm(form: URLSearchParams): FormFields {
  const text = (name: string) => form.get(name)?.trim() ?? ''
  const options = Object.fromEntries(presetOptionNames.map((name) => [name, text(name)]))
  const anim = form.get('anim') === '1' ? '1' : text('had_anim') === '' ? '' : '0'
  return { ...(options as Record<OptionName, string>), name: text('name'), version: text('version'), anim }
}

/** Numbers that are none stay texts, which the rules refuse. */
export function optionsOfFields(fields: FormFields): PresetOptions {
  const given = presetOptionNames.flatMap((name): [string, unknown][] => {
    const text = fields[name]
    if (text === '') return []
    if (name === 'anim') return [[name, text === '1']]
    return [[name, name in presetBounds && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : text]]
  })
  return Object.fromEntries(given)
}

/** An option as a person reads it. */
export function presetText(words: Words, name: OptionName, value: string | number | boolean): string {
  const text = textOf(value)
  if (name === 'anim') return text === '1' ? words.switchOn : words.switchOff
  const known: Readonly<Record<string, Readonly<Record<string, string>>>> = words.presetWords
  return known[name]?.[canonical(name, text)] ?? text
}

const aliases: Readonly<Record<string, string>> = {
  contain: 'scale-down',
  inside: 'scale-down',
  crop: 'cover',
  jpg: 'jpeg',
}

const canonical = (name: OptionName, text: string): string =>
  name === 'fit' || name === 'format' ? (aliases[text] ?? text) : text

interface PresetForm {
  fields: FormFields
  faults: FormFaults
  /** Fields that another person has changed meanwhile. */
  open?: readonly string[] | undefined
  /** Undefined for a new one. */
  preset?: Preset | undefined
}

const shownFields: readonly string[] = ['name', ...presetOptionNames]
const plain = { autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' } as const

export function presetForm(call: PageCall, { fields, faults, open = [], preset }: PresetForm): Html {
  const { words, language } = call.reader
  const faulty = shownFields.find((name) => faults.has(name))
  const common = (name: OptionName, hint?: string) => ({
    label: words.presetLabels[name],
    name,
    value: fields[name],
    fault: faults.get(name),
    ...(hint && { hint }),
  })
  const focus = (name: string) => ({ autofocus: name === faulty })
  const number = (name: 'width' | 'height' | 'quality', hint?: string) =>
    textField({
      ...common(name, hint),
      more: { inputmode: 'numeric', maxlength: 6, ...plain, ...focus(name) },
    })
  const choose = (name: 'fit' | 'format' | 'position', hint?: string) =>
    selectField({
      ...common(name, hint),
      value: canonical(name, fields[name]),
      options: ['', ...new Set(presetWords[name].map((word) => canonical(name, word)))].map(
        (word) => [word, word === '' ? words.presetUsual : presetText(words, name, word)] as const,
      ),
      more: focus(name),
    })
  const shown = Object.fromEntries(
    presetOptionNames.map((name) => [
      name,
      [
        words.presetLabels[name],
        (text: string) => (text === '' ? words.presetUsual : presetText(words, name, text)),
      ] as const,
    ]),
  )
  const newName = textField({
    label: words.presetName,
    name: 'name',
    value: fields.name,
    fault: faults.get('name'),
    hint: words.presetNameHint,
    more: { maxlength: 32, required: true, ...plain, ...focus('name') },
  })
  return html`${formFault(textsBesides(faults, shownFields)[0])}
<form method="post" class="stack wide-form">${tokenField(call.reader)}<input name="version" value="${fields.version}" type="hidden"><input name="had_anim" value="${fields.anim}" type="hidden">
${conflictPart<Record<string, string>>(words, {
  open,
  mine: fields,
  theirs: preset ? fieldsOfPreset(preset) : fields,
  shown,
})}
${preset ? undefined : newName}
${number('width', words.presetSideHint(writeNumber(language, presetBounds.width)))}
${number('height')}
${choose('fit')}
${choose('position', words.presetPositionHint)}
${choose('format')}
${number('quality', words.presetQualityHint)}
${textField({ ...common('background', words.presetBackgroundHint), more: { maxlength: 11, ...plain, ...focus('background') } })}
${checkField({ label: words.presetLabels.anim, name: 'anim', isOn: fields.anim === '1' })}
${proofField(call)}
<p class="actions">${submitButton(preset ? words.save : words.presetCreate)}${linkButton(words.cancel, presetsPath, { look: 'quiet' })}</p>
</form>`
}
