import { changeSettingsAs } from '../../../accounts/index.ts'
import { responseOfRefusal, routeNotFound } from '../../../http/responses/errors.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { listPages } from '../../../media/index.ts'
import { readSettings, type SettingName, settingTable } from '../../../site/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { faultText, refusalText } from '../../refusal-words.ts'
import { orRefusal } from '../../refused.ts'
import { isSettingsPart, type SettingsPart, settingsOf } from './setting-parts.ts'
import { type SettingsForm, settingsPage } from './settings-page.ts'

export const showSettings: PageHandler = async () => ({ to: '/dashboard/settings/general', status: 302 })

export const showSettingsPart: PageHandler = async (call) => ({ page: await pageOf(call) })

/** Saves what was changed on the page: all of it, or nothing if one value is refused. */
export const postSettings: PageHandler = async (call) => {
  const { app, site, reader, form } = call
  const { words } = reader
  const part = partOf(call)
  const sent = valuesOf(form, part, '')
  const seen = valuesOf(form, part, 'seen_')
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
  const fault = saved.code === 'settings-changed' ? words.settingsChanged : refusalText(reader, saved)
  return { page: await pageOf(call, { sent, fault }), status, headers }
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
