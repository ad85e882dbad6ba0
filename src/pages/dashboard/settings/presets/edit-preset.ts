import { responseOfRefusal } from '../../../../http/responses/errors.ts'
import { type Html, html } from '../../../../lib/html.ts'
import { Refusal } from '../../../../lib/refusal.ts'
import {
  otherVersion,
  type Preset,
  presetExists,
  presetFaults,
  putPreset,
  readPreset,
  removePreset,
} from '../../../../media/index.ts'
import { changeSite } from '../../../../tenants/index.ts'
import { differingFields, readChoices } from '../../../../ui/conflicts.ts'
import { tokenField } from '../../../../ui/form.ts'
import { linkButton, submitButton } from '../../../../ui/parts/controls.ts'
import {
  type FormFaults,
  faultsInWords,
  noFaults,
  refusalInWords,
  wholeForm,
} from '../../../../ui/refusal-words.ts'
import { orRefusal } from '../../../../ui/refused.ts'
import { type PageAnswer, type PageCall, type PageHandler, userOf } from '../../../page-call.ts'
import { dashboardPage } from '../../dashboard-frame.ts'
import { presetsPath, settingsTabs } from '../setting-tabs.ts'
import {
  emptyFields,
  type FormFields,
  fieldsOfForm,
  fieldsOfPreset,
  optionsOfFields,
  presetForm,
} from './preset-form.ts'
import { sampleOf, samplePicture } from './sample-picture.ts'

interface Shown {
  fields: FormFields
  faults: FormFaults
  open?: readonly string[]
}

export const showNewPreset: PageHandler = async (call) => ({
  page: newPage(call, { fields: emptyFields, faults: noFaults }),
})

export const postNewPreset: PageHandler = async (call) => {
  const fields = fieldsOfForm(call.form)
  const checkVersion = (version: number | undefined) => {
    if (version !== undefined) throw presetExists(fields.name)
  }
  const refused = await savedOrRefusal(call, fields, checkVersion)
  if (!refused) return { to: `${presetsPath}?saved=1` }
  const { status, headers, faults } = refused
  return { page: newPage(call, { fields, faults }), status, headers }
}

export const showPreset: PageHandler = async (call) => {
  const preset = await presetOf(call)
  return { page: await editPage(call, preset, { fields: fieldsOfPreset(preset), faults: noFaults }) }
}

/** Changes a preset. If it was changed since the form was opened, the administrator chooses between both first. */
export const postPreset: PageHandler = async (call) => {
  const preset = await presetOf(call)
  const sent = { ...fieldsOfForm(call.form), name: preset.name }
  const { fields, open, isChoice } = readChoices(call.form, sent, fieldsOfPreset(preset))
  if (isChoice) return { page: await editPage(call, preset, { fields, faults: noFaults, open }) }
  if (open.length > 0) {
    const faults = wholeForm(call.reader.words.conflictOpen)
    return { page: await editPage(call, preset, { fields, faults, open }), status: 400 }
  }
  const refused = await savedOrRefusal(call, fields, (version) => {
    if (fields.version !== String(version)) throw otherVersion(version ?? 0)
  })
  if (!refused) return { to: `${presetsPath}?saved=1` }
  return refusedEdit(call, fields, refused)
}

/** What was typed stays; after another's change the form holds the new version, and the administrator chooses. */
async function refusedEdit(
  call: PageCall,
  fields: FormFields,
  { code, status, headers, faults }: RefusedForm,
): Promise<PageAnswer> {
  const preset = await presetOf(call)
  const theirs = fieldsOfPreset(preset)
  const isOvertaken = code === 'version-differs'
  const shown = {
    fields: isOvertaken ? { ...fields, version: theirs.version } : fields,
    faults: isOvertaken ? wholeForm(call.reader.words.presetChanged) : faults,
    open: isOvertaken ? differingFields(fields, theirs) : [],
  }
  return { page: await editPage(call, preset, shown), status, headers }
}

interface RefusedForm extends Pick<ReturnType<typeof responseOfRefusal>, 'headers' | 'status'> {
  code: string
  faults: FormFaults
}

async function savedOrRefusal(
  call: PageCall,
  fields: FormFields,
  checkVersion: (version: number | undefined) => void,
): Promise<RefusedForm | undefined> {
  const { app, site, reader } = call
  const { name } = fields
  const options = optionsOfFields(fields)
  const faults = presetFaults(name, options)
  if (faults.length > 0)
    return { code: 'invalid', status: 400, headers: {}, faults: faultsInWords(reader.words, faults) }
  const caller = userOf(call)
  const saved = await orRefusal(
    changeSite(app.control, site, (changing) => putPreset(changing, caller, { name, options, checkVersion })),
  )
  if (!(saved instanceof Refusal)) return undefined
  const { status, headers } = responseOfRefusal(saved)
  const inWords = refusalInWords(reader, saved)
  const isName = saved.code === 'preset-exists'
  return {
    code: saved.code,
    status,
    headers,
    faults: isName ? new Map([['name', inWords.get('') ?? '']]) : inWords,
  }
}

export const showDeletePreset: PageHandler = async (call) => {
  const preset = await presetOf(call)
  const { words } = call.reader
  const content = html`<form method="post" class="stack wide-form">${tokenField(call.reader)}<input name="version" value="${preset.version}" type="hidden">
<p class="preset-stage">${await pictureOf(call, preset)}</p>
<p>${words.presetDeleteText(`?preset=${preset.name}`)}</p>
<p class="actions">${submitButton(words.presetDelete, { look: 'danger', icon: 'delete' })}${linkButton(words.presetKeep, presetsPath, { look: 'plain' })}</p>
</form>`
  return { page: presetPage(call, words.presetDeleteTitle(preset.name), content) }
}

export const postDeletePreset: PageHandler = async (call) => {
  const { name } = await presetOf(call)
  const expected = call.form.get('version') ?? ''
  const checkVersion = (version: number | undefined) => {
    if (expected !== String(version)) throw otherVersion(version ?? 0)
  }
  await changeSite(call.app.control, call.site, (site) =>
    removePreset(site, userOf(call), { name, checkVersion }),
  )
  return { to: `${presetsPath}?saved=1` }
}

const presetOf = (call: PageCall): Promise<Preset> => readPreset(call.site, call.params.preset ?? '')

const newPage = (call: PageCall, shown: Shown): string =>
  presetPage(call, call.reader.words.presetNew, presetForm(call, shown))

async function editPage(call: PageCall, preset: Preset, shown: Shown): Promise<string> {
  const { words } = call.reader
  const picture = await pictureOf(call, preset)
  const content = html`${picture && html`<p class="preset-stage">${picture}</p>`}
${presetForm(call, { ...shown, preset })}
<p class="actions">${linkButton(words.presetDelete, `${presetsPath}/preset/${preset.name}/delete`, { look: 'quiet', icon: 'delete' })}</p>`
  return presetPage(call, preset.name, content)
}

const pictureOf = async (call: PageCall, preset: Preset): Promise<Html | undefined> =>
  sampleOf(call, await samplePicture(call), preset)

const presetPage = (call: PageCall, title: string, content: Html): string =>
  dashboardPage(call, {
    part: '/dashboard/settings',
    title,
    content: html`${settingsTabs(call.reader.words, 'transforms')}
${content}`,
  })
