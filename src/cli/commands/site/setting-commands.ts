import { closest, suggestion } from '../../../lib/did-you-mean.ts'
import { Refusal } from '../../../lib/refusal.ts'
import {
  acceptAudit,
  changeSettings,
  readSettings,
  type SettingName,
  settingTable,
  unknownSetting,
} from '../../../site/index.ts'
import type { Session } from '../../session.ts'
import { type Column, plain, tableOf } from '../../terminal/table.ts'
import { changeOnSite, onSite } from './on-site.ts'

interface NamedSetting {
  tenant: string
  name: string
}

export async function getSetting(session: Session, input: NamedSetting): Promise<void> {
  const name = knownName(input.name)
  const { [name]: value } = await onSite(session, input.tenant, readSettings)
  session.answer({ name, value }, () => plain(value))
  if (session.out.isTerminal) session.note(settingTable[name].help)
}

export async function setSetting(session: Session, input: NamedSetting & { value: string }): Promise<void> {
  const name = knownName(input.name)
  const { value } = input
  // When jobs are due depends on settings, such as `trash_days`.
  await changeOnSite(session, input.tenant, (site) => changeSettings(site, new Map([[name, value]])))
  session.answer({ name, value }, () => `The setting ${name} is now "${value}".`)
}

interface ShownSetting {
  name: SettingName
  value: string
  default: string
  help: string
}

const styleOf = (setting: ShownSetting) => (setting.value === setting.default ? undefined : 'bold')

const columns: readonly Column<ShownSetting>[] = [
  { title: 'NAME', value: (setting) => setting.name, style: styleOf },
  { title: 'VALUE', value: (setting) => setting.value, style: styleOf },
  { title: 'DEFAULT', value: (setting) => setting.default, style: () => 'dim' },
  { title: 'HELP', value: (setting) => setting.help, style: () => 'dim' },
]

export async function listSettings(session: Session, { tenant }: { tenant: string }): Promise<void> {
  const values = await onSite(session, tenant, readSettings)
  const settings = names.toSorted().map((name) => {
    const { default: usual, help } = settingTable[name]
    return { name, value: values[name], default: usual, help }
  })
  session.answer(settings, () => tableOf(session.out, columns, settings))
}

const names = Object.keys(settingTable) as SettingName[]

function knownName(name: string): SettingName {
  const known = names.find((each) => each === name)
  if (known !== undefined) return known
  const { kind, code, message } = unknownSetting(name)
  throw new Refusal(kind, code, `${message}${suggestion(closest(name, names))}`)
}

export async function signAudit(session: Session, { tenant }: { tenant: string }): Promise<void> {
  await changeOnSite(session, tenant, acceptAudit)
  session.answer({ tenant, signed: true }, () => `Accepted and signed the current audit log of ${tenant}.`)
}
