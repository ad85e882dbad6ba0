import { type Html, html } from '../../../lib/html.ts'
import { isSwitchedOn } from '../../../site/index.ts'
import { tokenField } from '../../form.ts'
import type { PageCall } from '../../page-call.ts'
import { codeField, linkButton, submitButton } from '../../parts/controls.ts'
import { banner } from '../../parts/states.ts'
import { formFault, settingsPage, settingsPart } from '../settings/settings-frame.ts'
import { type UploadApp, uploadApps } from './app-list.ts'
import { qrCode } from './qr-code.ts'
import type { AppContext } from './upload-scripts.ts'

/** Every program with a button that makes its key. */
export function appsPage(call: PageCall, fault?: string): string {
  const { reader, site } = call
  const { words } = reader
  const isOn = isSwitchedOn(site.values, 'SERVICE_ENABLE_API_USER')
  const make = ({ id, name }: UploadApp) =>
    html`<form method="post" action="/settings/apps/${id}">${tokenField(reader)}${submitButton(words.appMake, { look: 'plain', more: { 'aria-label': `${words.appMake}: ${name}` } })}</form>`
  const entry = (app: UploadApp): Html =>
    html`<li><div><h3>${app.name}</h3><p class="soft">${app.system}</p></div>${isOn ? make(app) : undefined}</li>`
  const off = isOn || fault !== undefined ? undefined : banner(html`<p>${words.uploadKeysOff}</p>`, 'warn')
  const content = html`${formFault(fault)}${off}<p class="soft">${words.appsText}</p>
<ul class="apps">${uploadApps.map(entry)}</ul>`
  return settingsPage(call, '/settings/apps', settingsPart(words.settingsApps, content))
}

/** The settings of one program. */
export function appPage(call: PageCall, app: UploadApp, context: AppContext): string {
  const { reader } = call
  const { words } = reader
  const fields = app.fields(context).map(({ label, text }, index) =>
    codeField({
      id: `field-${index}`,
      label,
      text,
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
