import { type Html, html } from '../../../lib/html.ts'
import type { BrandSlot } from '../../../media/index.ts'
import type { Settings } from '../../../site/index.ts'
import { tokenField } from '../../form.ts'
import type { PageCall } from '../../page-call.ts'
import { submitButton, textField } from '../../parts/controls.ts'
import { chip } from '../../parts/lists.ts'
import { banner } from '../../parts/states.ts'
import { dashboardPage, dashboardSection } from '../dashboard-frame.ts'
import { brandPictureForms } from './picture-forms.ts'

type BrandFields = Pick<Settings, 'site_name' | 'accent'>

export interface BrandForm {
  /** As they are. */
  settings: BrandFields
  /** As they were sent. */
  sent?: BrandFields
  faults?: Partial<BrandFields>
  /** What was refused for no single field. */
  fault?: string
  /** The picture that was refused, and why. */
  slot?: BrandSlot
  slotFault?: string
}

/** Of `web/styles/tokens.css`. */
export const standardAccent = '#1d6652'

/** The whole page takes the colours that were sent, both themes are shown below. */
export function brandingPage(
  call: PageCall,
  { settings, sent = settings, faults = {}, fault, slot, slotFault }: BrandForm,
): string {
  const { words } = call.reader
  const content = html`${fault === undefined ? undefined : banner(html`<p>${fault}</p>`, 'danger')}
<form method="post" class="stack wide-form">${tokenField(call.reader)}
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
