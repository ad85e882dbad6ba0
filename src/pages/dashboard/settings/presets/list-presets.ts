import { type Html, html } from '../../../../lib/html.ts'
import { listPresets, mostPresets, type Preset, presetOptionNames } from '../../../../media/index.ts'
import { isSwitchedOn } from '../../../../site/index.ts'
import { linkButton } from '../../../../ui/parts/controls.ts'
import { banner, emptyState } from '../../../../ui/parts/states.ts'
import type { Words } from '../../../../words/en.ts'
import { writeNumber } from '../../../../words/format.ts'
import type { PageCall, PageHandler } from '../../../page-call.ts'
import { dashboardPage } from '../../dashboard-frame.ts'
import { presetsPath, settingsTabs } from '../setting-tabs.ts'
import { presetText } from './preset-form.ts'
import { sampleOf, samplePicture } from './sample-picture.ts'

/** Every preset, each with a picture of the site beside it. */
export const showPresets: PageHandler = async (call) => {
  const { site, reader } = call
  const { words, language } = reader
  const presets = await listPresets(site)
  const isOn = isSwitchedOn(site.values, 'SERVICE_ENABLE_TRANSFORMS')
  const isFull = presets.length >= mostPresets
  const content = html`${settingsTabs(words, 'transforms')}
${isOn ? undefined : banner(html`<p>${words.presetsOff}</p>`, 'warn')}
<p class="soft narrow">${words.presetsText} ${words.presetsLimit(writeNumber(language, mostPresets))}</p>
${isFull ? undefined : html`<p class="actions">${linkButton(words.presetNew, `${presetsPath}/new`, { icon: 'add' })}</p>`}
${presets.length === 0 ? emptyState({ title: words.presetsEmpty, text: words.presetsEmptyText }) : await presetList(call, presets)}`
  return {
    page: dashboardPage(call, {
      part: '/dashboard/settings',
      title: `${words.settings}: ${words.presets}`,
      content,
    }),
  }
}

async function presetList(call: PageCall, presets: readonly Preset[]): Promise<Html> {
  const { words } = call.reader
  const sample = await samplePicture(call)
  const entries = presets.map(
    (preset) => html`<li class="preset">
<div class="preset-stage">${sampleOf(call, sample, preset) ?? html`<span class="soft small">${words.presetsNoPicture}</span>`}</div>
<div class="preset-about"><h2><a href="${presetsPath}/preset/${preset.name}">${preset.name}</a></h2>
<p>${describedOptions(words, preset)}</p>
<p class="mono small soft">?preset=${preset.name}</p>
<p class="actions">${linkButton(words.presetEdit, `${presetsPath}/preset/${preset.name}`, { look: 'plain', isDense: true, icon: 'edit', more: { 'aria-label': `${words.presetEdit}: ${preset.name}` } })}${linkButton(words.presetDelete, `${presetsPath}/preset/${preset.name}/delete`, { look: 'quiet', isDense: true, icon: 'delete', more: { 'aria-label': `${words.presetDelete}: ${preset.name}` } })}</p></div>
</li>`,
  )
  return html`<ul class="presets" aria-label="${words.presets}">${entries}</ul>`
}

/** The options as a person reads them, such as `Width 400 · Fit: fill`. */
function describedOptions(words: Words, { options }: Preset): string {
  return presetOptionNames
    .flatMap((name) => {
      const value = options[name]
      return value === undefined ? [] : [`${words.presetLabels[name]}: ${presetText(words, name, value)}`]
    })
    .join(' · ')
}
