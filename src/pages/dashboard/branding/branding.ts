import { changeSettingsAs } from '../../../accounts/index.ts'
import { responseOfRefusal } from '../../../http/responses/errors.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { readSettings, settingTable } from '../../../site/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { faultText, refusalText } from '../../refusal-words.ts'
import { orRefusal } from '../../refused.ts'
import { brandSettings } from '../settings/setting-parts.ts'
import { type BrandForm, brandingPage, standardAccent } from './branding-page.ts'

export const showBranding: PageHandler = async (call) => ({ page: await brandingPageOf(call) })

/** Saves name and accent, or shows how they would look. */
export const postBranding: PageHandler = async (call) => {
  const { app, site, form, reader } = call
  const action = form.get('action')
  const sent = {
    site_name: form.get('site_name')?.trim() ?? '',
    accent: action === 'standard' ? '' : accentIn(form),
  }
  const faults = Object.fromEntries(
    brandSettings.flatMap((name) => {
      const fault = settingTable[name].fault(sent[name])
      return fault === undefined ? [] : [[name, faultText(reader.words, fault)]]
    }),
  )
  if (Object.keys(faults).length > 0)
    return { page: await brandingPageOf(call, { sent, faults }), status: 400 }
  if (action === 'preview') return { page: await brandingPageOf(call, { sent }) }
  const seen = new Map(brandSettings.map((name) => [name, form.get(`seen_${name}`) ?? '']))
  const edit = new Map(
    brandSettings.filter((name) => seen.get(name) !== sent[name]).map((name) => [name, sent[name]]),
  )
  const saved = await orRefusal(
    changeSite(app.control, site, (changing) => changeSettingsAs(changing, userOf(call), edit, seen)),
  )
  if (!(saved instanceof Refusal)) return { to: '/dashboard/branding?saved=1' }
  const { status, headers } = responseOfRefusal(saved)
  const fault = saved.code === 'settings-changed' ? reader.words.settingsChanged : refusalText(reader, saved)
  return { page: await brandingPageOf(call, { sent, fault }), status, headers }
}

/** A field for colours cannot be empty: it shows the standard colour where no other is chosen. */
function accentIn(form: URLSearchParams): string {
  const accent = form.get('accent')?.trim() ?? ''
  return accent === standardAccent && form.get('seen_accent') === '' ? '' : accent
}

export async function brandingPageOf(
  call: PageCall,
  form: Omit<BrandForm, 'settings'> = {},
): Promise<string> {
  return brandingPage(call, { settings: await readSettings(call.site), ...form })
}
