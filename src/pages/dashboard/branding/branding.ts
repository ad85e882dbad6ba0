import { changeSettingsAs } from '../../../accounts/index.ts'
import { responseOfRefusal } from '../../../http/responses/errors.ts'
import { type Html, html } from '../../../lib/html.ts'
import { Refusal } from '../../../lib/refusal.ts'
import type { BrandSlot } from '../../../media/index.ts'
import { readSettings, type Settings, settingTable } from '../../../site/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { conflictPart, readChoices } from '../../../ui/conflicts.ts'
import { tokenField } from '../../../ui/form.ts'
import { submitButton, textField } from '../../../ui/parts/controls.ts'
import { chip } from '../../../ui/parts/lists.ts'
import { banner } from '../../../ui/parts/states.ts'
import { faultText, refusalText } from '../../../ui/refusal-words.ts'
import { orRefusal } from '../../../ui/refused.ts'
import { type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { dashboardPage, dashboardSection } from '../dashboard-frame.ts'
import { brandSettings } from '../settings/setting-parts.ts'
import { mergeChanges } from '../settings/settings.ts'
import { brandPictureForms } from './picture-forms.ts'

export const showBranding: PageHandler = async (call) => ({ page: await brandingPageOf(call) })

/** Saves name and accent, or shows how they would look. */
export const postBranding: PageHandler = async (call) => {
  const { app, site, form, reader } = call
  const action = form.get('action')
  const now = await readSettings(site)
  const typed = {
    site_name: form.get('site_name')?.trim() ?? '',
    accent: action === 'standard' ? '' : accentIn(form),
  }
  const { fields: sent, open, isChoice } = readChoices<BrandFields>(form, typed, now)
  if (isChoice) return { page: await brandingPageOf(call, { sent, open }) }
  if (open.length > 0 && action !== 'preview')
    return { page: await brandingPageOf(call, { sent, open, fault: reader.words.conflictOpen }), status: 400 }
  const faults = Object.fromEntries(
    brandSettings.flatMap((name) => {
      const fault = settingTable[name].fault(sent[name])
      return fault === undefined ? [] : [[name, faultText(reader.words, fault)]]
    }),
  )
  if (Object.keys(faults).length > 0)
    return { page: await brandingPageOf(call, { sent, faults }), status: 400 }
  if (action === 'preview') return { page: await brandingPageOf(call, { sent, open }) }
  const seen = new Map(brandSettings.map((name) => [name, form.get(`seen_${name}`) ?? '']))
  const edit = new Map(
    brandSettings.filter((name) => seen.get(name) !== sent[name]).map((name) => [name, sent[name]]),
  )
  const saved = await orRefusal(
    changeSite(app.control, site, (changing) => changeSettingsAs(changing, userOf(call), edit, seen)),
  )
  if (!(saved instanceof Refusal)) return { to: '/dashboard/branding?saved=1' }
  const { status, headers } = responseOfRefusal(saved)
  if (saved.code !== 'settings-changed')
    return { page: await brandingPageOf(call, { sent, fault: refusalText(reader, saved) }), status, headers }
  const given = new Map(brandSettings.map((name) => [name, sent[name]]))
  const merged = mergeChanges(await readSettings(site), given, seen)
  const shown = { sent: { ...sent, ...Object.fromEntries(merged.sent) }, open: merged.open }
  return {
    page: await brandingPageOf(call, { ...shown, fault: reader.words.settingsChanged }),
    status,
    headers,
  }
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

type BrandFields = Pick<Settings, 'site_name' | 'accent'>

interface BrandForm {
  /** As they are. */
  settings: BrandFields
  /** As they were sent. */
  sent?: BrandFields
  faults?: Partial<BrandFields>
  /** Fields that another administrator has changed meanwhile. */
  open?: readonly string[]
  /** What was refused for no single field. */
  fault?: string
  /** The picture that was refused, and why. */
  slot?: BrandSlot
  slotFault?: string
}

/** Of `web/styles/tokens.css`. */
const standardAccent = '#1d6652'

/** The whole page takes the colours that were sent, both themes are shown below. */
function brandingPage(
  call: PageCall,
  { settings, sent = settings, faults = {}, open = [], fault, slot, slotFault }: BrandForm,
): string {
  const { words } = call.reader
  const content = html`${fault === undefined ? undefined : banner(html`<p>${fault}</p>`, 'danger')}
<form method="post" class="stack wide-form">${tokenField(call.reader)}
${conflictPart<BrandFields>(words, { open, mine: sent, theirs: settings, shown: { site_name: [words.brandName], accent: [words.brandAccent] } })}
<input name="seen_site_name" value="${settings.site_name}" type="hidden" autocomplete="off">
<input name="seen_accent" value="${settings.accent}" type="hidden" autocomplete="off">
${textField({
  label: words.brandName,
  name: 'site_name',
  value: sent.site_name,
  fault: faults.site_name,
  hint: words.brandNameHint(call.site.hostname),
  more: { maxlength: 120, dir: 'auto', autocomplete: 'off', autofocus: faults.site_name !== undefined },
})}
${textField({
  label: words.brandAccent,
  name: 'accent',
  value: sent.accent || standardAccent,
  fault: faults.accent,
  hint: words.brandAccentHint,
  more: { type: faults.accent === undefined ? 'color' : 'text', autofocus: faults.accent !== undefined },
})}
<p class="actions">${submitButton(words.save, { more: { name: 'action', value: 'save' } })}${submitButton(words.pagePreview, { look: 'plain', icon: 'eye', more: { name: 'action', value: 'preview' } })}${submitButton(words.brandStandard, { look: 'quiet', more: { name: 'action', value: 'standard' } })}</p>
</form>
${dashboardSection(words.brandPictures, brandPictureForms(call, { slot, fault: slotFault }))}
${dashboardSection(words.pagePreview, html`<div class="brand-previews">${preview(call, 'light')}${preview(call, 'dark')}</div>`)}`
  return dashboardPage(withBrand(call, sent, faults), { part: '/dashboard/branding', content })
}

/** The reader sees the page as it would be; what was refused is not shown. */
function withBrand(call: PageCall, sent: BrandFields, faults: Partial<BrandFields>): PageCall {
  const { account } = call.reader
  if (!account || Object.keys(faults).length > 0) return call
  const brand = { ...account.brand, name: sent.site_name, accent: sent.accent }
  return { ...call, reader: { ...call.reader, account: { ...account, brand } } }
}

function preview({ reader: { words } }: PageCall, theme: 'light' | 'dark'): Html {
  const name = theme === 'light' ? words.themeLight : words.themeDark
  return html`<div class="brand-preview ${theme}">
<h3>${name}</h3>
<p>${words.brandSample} <a href="#main">${words.brandSampleLink}</a></p>
<p class="actions"><span class="button">${words.brandSampleButton}</span>${chip(words.brandSampleChip, 'accent')}</p>
</div>`
}
