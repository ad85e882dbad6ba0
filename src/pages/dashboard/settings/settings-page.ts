import { type Html, html } from '../../../lib/html.ts'
import type { SettingName, Settings } from '../../../site/index.ts'
import { isSwitchedOn, limitOf } from '../../../site/index.ts'
import { writeNumber } from '../../../words/format.ts'
import { proofField } from '../../account/proof.ts'
import { tokenField } from '../../form.ts'
import type { PageCall } from '../../page-call.ts'
import { submitButton } from '../../parts/controls.ts'
import { table, tabs } from '../../parts/lists.ts'
import { banner } from '../../parts/states.ts'
import { dashboardPage } from '../dashboard-frame.ts'
import { settingField } from './setting-field.ts'
import { type SettingsPart, settingsOf, settingsParts } from './setting-parts.ts'

export interface SettingsForm {
  part: SettingsPart
  /** As they are. */
  settings: Settings
  /** As they were sent; the others are shown as they are. */
  sent?: ReadonlyMap<SettingName, string>
  faults?: ReadonlyMap<SettingName, string>
  /** What was refused for no single field. */
  fault?: string
  homes: readonly (readonly [value: string, text: string])[]
}

export function settingsPage(call: PageCall, form: SettingsForm): string {
  const { words } = call.reader
  const { part, fault } = form
  const list = settingsParts.map((each) => ({
    label: words.settingsParts[each],
    address: `/dashboard/settings/${each}`,
    isCurrent: each === part,
  }))
  const content = html`${tabs(words.settings, list)}
${fault === undefined ? undefined : banner(html`<p>${fault}</p>`, 'danger')}
${settingsOf(part).length === 0 ? operatorTable(call, part) : settingsForm(call, form)}`
  const title = `${words.settings}: ${words.settingsParts[part]}`
  return dashboardPage(call, { part: '/dashboard/settings', title, content })
}

function settingsForm(call: PageCall, { part, settings, sent, faults, homes }: SettingsForm): Html {
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
  return html`<form method="post" class="stack wide-form">${tokenField(call.reader)}
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
