import { type Html, html } from '../../../lib/html.ts'
import { tabs } from '../../../ui/parts/lists.ts'
import { banner } from '../../../ui/parts/states.ts'
import type { Words } from '../../../words/en.ts'
import { writePage } from '../../frame.ts'
import type { PageCall } from '../../page-call.ts'

export type SettingsPath =
  | '/settings'
  | '/settings/uploads'
  | '/settings/security'
  | '/settings/keys'
  | '/settings/apps'
  | '/settings/export'

const pathsOf = (words: Words): readonly (readonly [SettingsPath, string])[] => [
  ['/settings', words.settingsProfile],
  ['/settings/uploads', words.settingsUploads],
  ['/settings/security', words.settingsSecurity],
  ['/settings/keys', words.settingsKeys],
  ['/settings/apps', words.settingsApps],
  ['/settings/export', words.settingsExport],
]

/** The frame of all settings: their tabs, and what the last form did. */
export function settingsPage(call: PageCall, current: SettingsPath, content: Html, done?: string): string {
  const { reader, site } = call
  const { words } = reader
  const list = pathsOf(words).map(([address, label]) => ({ address, label, isCurrent: address === current }))
  const name = list.find(({ isCurrent }) => isCurrent)?.label ?? words.settings
  const message = done ?? (call.query.get('saved') === '1' ? words.saved : undefined)
  return writePage({
    siteName: site.hostname,
    title: `${name} - ${words.settings} - ${site.hostname}`,
    head: html`<meta name="robots" content="noindex">`,
    reader,
    body: html`<div class="page settings">
<h1>${words.settings}</h1>
${tabs(words.settings, list)}
<div role="status">${message === undefined ? undefined : banner(html`<p>${message}</p>`, 'good')}</div>
${content}
</div>`,
  })
}

/** A part of a settings page under its own heading. */
export const settingsPart = (title: string, content: Html): Html =>
  html`<section class="settings-part"><h2>${title}</h2>${content}</section>`

/** What was refused for no single field. */
export const formFault = (fault: string | undefined): Html | undefined =>
  fault === undefined ? undefined : banner(html`<p>${fault}</p>`, 'danger')
