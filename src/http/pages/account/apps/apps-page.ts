import { type Html, html } from '../../../responses/html.ts'
import { tokenField } from '../../form.ts'
import type { PageCall } from '../../page-call.ts'
import { linkButton, submitButton } from '../../parts/controls/button.ts'
import { codeField } from '../../parts/controls/code-field.ts'
import { banner } from '../../parts/states/banner.ts'
import { formFault, settingsPage, settingsPart } from '../settings/settings-frame.ts'
import { type AppContext, type UploadApp, uploadApps } from './app-list.ts'
import { qrCode } from './qr-code.ts'

/** Every program with a button that makes its key. */
export function appsPage(call: PageCall, fault?: string): string {
  const { reader } = call
  const { words } = reader
  const entry = ({ id, name, system }: UploadApp): Html =>
    html`<li><div><h3>${name}</h3><p class="soft">${system}</p></div>
<form method="post" action="/settings/apps/${id}">${tokenField(reader)}${submitButton(words.appMake, { look: 'plain', more: { 'aria-label': `${words.appMake}: ${name}` } })}</form></li>`
  const content = html`${formFault(fault)}<p class="soft">${words.appsText}</p>
<ul class="apps">${uploadApps.map(entry)}</ul>`
  return settingsPage(call, '/settings/apps', settingsPart(words.settingsApps, content))
}

/** The settings of one program. */
export function appPage(call: PageCall, app: UploadApp, context: AppContext): string {
  const { reader } = call
  const { words } = reader
  const fields = app.fields(context).map(({ label, text }, index) =>
    codeField({
      ...{ id: `field-${index}`, label, text },
      copy: { label: words.copy, name: words.copyNamed(app.name, label) },
    }),
  )
  const file = app.file?.(context)
  const download = html`<form method="post" action="/settings/apps/${app.id}/file">${tokenField(reader)}<input name="key" value="${context.key}" type="hidden" autocomplete="off">${submitButton(words.appDownload(file?.name ?? ''), { icon: 'download' })}</form>`
  const code = app.hasQrCode
    ? qrCode(
        app
          .fields(context)
          .map(({ label, text }) => `${label}: ${text}`)
          .join('\n'),
        words.appQrCode,
      )
    : undefined
  const content = html`${banner(html`<p>${words.keyMade(app.name)} ${words.keyOnce}</p>`, 'good')}
<p>${words.appHow[app.id]}</p>
${file && download}
<div class="stack">${fields}</div>
${code}
<p>${linkButton(words.appsAll, '/settings/apps', { look: 'plain' })}</p>`
  return settingsPage(call, '/settings/apps', settingsPart(app.name, content))
}
