import { changeSettingsAs } from '../../../accounts/index.ts'
import { responseOfRefusal, routeNotFound } from '../../../http/responses/errors.ts'
import { type Html, html } from '../../../lib/html.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { listPages } from '../../../media/index.ts'
import {
  isSwitchedOn,
  limitOf,
  readSettings,
  type SettingName,
  type Settings,
  settingTable,
} from '../../../site/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { conflictPart, readChoices } from '../../../ui/conflicts.ts'
import { tokenField } from '../../../ui/form.ts'
import { submitButton } from '../../../ui/parts/controls.ts'
import { table } from '../../../ui/parts/lists.ts'
import { banner } from '../../../ui/parts/states.ts'
import { faultText, refusalText } from '../../../ui/refusal-words.ts'
import { orRefusal } from '../../../ui/refused.ts'
import { writeNumber } from '../../../words/format.ts'
import { proofField } from '../../account/proof.ts'
import { type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { dashboardPage } from '../dashboard-frame.ts'
import { labelOf, settingField, valueText } from './setting-field.ts'
import { isSettingsPart, type SettingsPart, settingsOf } from './setting-parts.ts'
import { settingsTabs } from './setting-tabs.ts'

export const showSettings: PageHandler = async () => ({ to: '/dashboard/settings/general', status: 302 })

export const showSettingsPart: PageHandler = async (call) => ({ page: await pageOf(call) })

/**
 * Saves what was changed on the page: all of it, or nothing if one value is refused. For values that another administrator has
 * changed since the page was opened, the person chooses first.
 */
export const postSettings: PageHandler = async (call) => {
  const { app, site, reader, form } = call
  const { words } = reader
  const part = partOf(call)
  const now = await readSettings(site)
  const { fields, open, isChoice } = readChoices(form, Object.fromEntries(valuesOf(form, part, '')), now)
  const sent = new Map(
    settingsOf(part).flatMap((name) => (name in fields ? [[name, fields[name] ?? '']] : [])),
  )
  const seen = valuesOf(form, part, 'seen_')
  if (isChoice) return { page: await pageOf(call, { sent, open }) }
  if (open.length > 0)
    return { page: await pageOf(call, { sent, open, fault: words.conflictOpen }), status: 400 }
  const edit = new Map([...sent].filter(([name, value]) => seen.get(name) !== value))
  const faults = new Map<SettingName, string>()
  for (const [name, value] of edit) {
    const fault = settingTable[name].fault(value)
    if (fault !== undefined) faults.set(name, faultText(words, fault))
  }
  if (faults.size > 0) return { page: await pageOf(call, { sent, faults }), status: 400 }
  const saved = await orRefusal(
    changeSite(app.control, site, (changing) => changeSettingsAs(changing, userOf(call), edit, seen)),
  )
  if (!(saved instanceof Refusal)) return { to: `/dashboard/settings/${part}?saved=1` }
  const { status, headers } = responseOfRefusal(saved)
  if (saved.code !== 'settings-changed')
    return { page: await pageOf(call, { sent, fault: refusalText(reader, saved) }), status, headers }
  const merged = mergeChanges(await readSettings(site), sent, seen)
  return { page: await pageOf(call, { ...merged, fault: words.settingsChanged }), status, headers }
}

/** What the person left as it was is shown as it is now; what both have changed is open. */
export function mergeChanges<Name extends SettingName>(
  now: Settings,
  sent: ReadonlyMap<Name, string>,
  seen: ReadonlyMap<Name, string>,
): { sent: Map<Name, string>; open: Name[] } {
  const isEdited = (name: Name) => sent.get(name) !== seen.get(name)
  const open = [...sent.keys()].filter(
    (name) => isEdited(name) && seen.get(name) !== now[name] && sent.get(name) !== now[name],
  )
  const merged = [...sent].map(([name, value]) => [name, isEdited(name) ? value : now[name]] as const)
  return { sent: new Map(merged), open }
}

function partOf({ params: { part = '' } }: PageCall): SettingsPart {
  if (!isSettingsPart(part)) throw routeNotFound()
  return part
}

/** The fields of the part that the form has. */
function valuesOf(form: URLSearchParams, part: SettingsPart, prefix: string): Map<SettingName, string> {
  const entries = settingsOf(part).map((name) => [name, form.get(`${prefix}${name}`)?.trim()] as const)
  return new Map(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])))
}

const mostHomes = 200

async function pageOf(call: PageCall, shown: Partial<SettingsForm> = {}): Promise<string> {
  const { site } = call
  const [settings, pages] = await Promise.all([
    readSettings(site),
    listPages(site, userOf(call), { after: undefined, limit: mostHomes }),
  ])
  const homes = pages
    .filter(({ isVisible }) => isVisible)
    .map(({ urlKey, title }) => [`page:${urlKey}`, title] as const)
  return settingsPage(call, { part: partOf(call), settings, homes, ...shown })
}

interface SettingsForm {
  part: SettingsPart
  /** As they are. */
  settings: Settings
  /** As they were sent; the others are shown as they are. */
  sent?: ReadonlyMap<SettingName, string>
  faults?: ReadonlyMap<SettingName, string>
  /** Settings that another administrator has changed meanwhile. */
  open?: readonly string[]
  /** What was refused for no single field. */
  fault?: string
  homes: readonly (readonly [value: string, text: string])[]
}

function settingsPage(call: PageCall, form: SettingsForm): string {
  const { words } = call.reader
  const { part, fault } = form
  const content = html`${settingsTabs(words, part)}
${fault === undefined ? undefined : banner(html`<p>${fault}</p>`, 'danger')}
${settingsOf(part).length === 0 ? operatorTable(call, part) : settingsForm(call, form)}`
  const title = `${words.settings}: ${words.settingsParts[part]}`
  return dashboardPage(call, { part: '/dashboard/settings', title, content })
}

function settingsForm(call: PageCall, { part, settings, sent, faults, open, homes }: SettingsForm): Html {
  const { words } = call.reader
  const names = settingsOf(part)
  const focused = names.find((name) => faults?.has(name))
  const fields = names.map((name) =>
    settingField(call, {
      name,
      value: sent?.get(name) ?? settings[name],
      seen: settings[name],
      homes,
      fault: faults?.get(name),
      hasFocus: name === focused,
    }),
  )
  const mine = Object.fromEntries(names.map((name) => [name, sent?.get(name) ?? settings[name]]))
  const shown = Object.fromEntries(
    names.map((name) => {
      const text = (value: string) => valueText(words, { name, value, homes })
      return [name, [labelOf(words, name), text] as const]
    }),
  )
  return html`<form method="post" class="stack wide-form">${tokenField(call.reader)}
${conflictPart<Record<string, string>>(words, { open: open ?? [], mine, theirs: settings, shown })}
${fields}
${proofField(call)}
<p>${submitButton(words.save)}</p>
</form>`
}

/** What holds here and only the operator can change. */
function operatorTable({ app, reader, site }: PageCall, part: SettingsPart): Html {
  const { words, language } = reader
  const limit = (name: 'SERVICE_MAX_USERS' | 'SERVICE_MAX_ADMINS' | 'SERVICE_MAX_KEYS_PER_USER') => {
    const most = limitOf(site.values, name)
    return most === undefined ? words.noLimit : writeNumber(language, most)
  }
  const onOff = (isOn: boolean) => (isOn ? words.switchOn : words.switchOff)
  const rows: readonly (readonly [string, string])[] =
    part === 'mail'
      ? [[words.factMail, onOff(app.mailer !== undefined)]]
      : [
          [words.factSignUp, onOff(isSwitchedOn(site.values, 'SERVICE_ENABLE_SIGNUP'))],
          [words.factUsers, limit('SERVICE_MAX_USERS')],
          [words.factAdministrators, limit('SERVICE_MAX_ADMINS')],
          [words.factKeys, limit('SERVICE_MAX_KEYS_PER_USER')],
        ]
  return html`<p class="soft">${words.operatorRules}</p>
${table(
  words.settingsParts[part],
  [words.factName, words.factValue].map((name) => ({ name })),
  rows.map(([name, value]) => [html`${name}`, html`${value}`]),
)}`
}
