import { createOwnKey, listOwnKeys } from '../../../accounts/index.ts'
import { addressOf } from '../../../http/mails/send-mail.ts'
import { badRequest, responseOfRefusal, routeNotFound } from '../../../http/responses/errors.ts'
import { type Html, html } from '../../../lib/html.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { listPresets } from '../../../media/index.ts'
import { isSwitchedOn } from '../../../site/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { tokenField } from '../../../ui/form.ts'
import { codeField, linkButton, submitButton } from '../../../ui/parts/controls.ts'
import { qrCode } from '../../../ui/parts/qr-code.ts'
import { banner } from '../../../ui/parts/states.ts'
import { orRefusal } from '../../../ui/refused.ts'
import { type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { accountFaultsOf } from '../account-faults.ts'
import { formFault, settingsPage, settingsPart } from '../settings/settings-frame.ts'
import { type UploadApp, uploadApps } from './app-list.ts'
import type { AppContext } from './upload-scripts.ts'

export const showApps: PageHandler = async (call) => ({ page: await appsPage(call) })

/** Makes a key named after the program, and shows the settings that hold it. It is shown once. */
export const makeApp: PageHandler = async (call) => {
  const app = appOf(call)
  const key = await orRefusal(makeKeyFor(call, app))
  if (key instanceof Refusal) {
    const { status, headers } = responseOfRefusal(key)
    return { page: await appsPage(call, accountFaultsOf(call.reader, key).form), status, headers }
  }
  return { page: appPage(call, app, contextOf(call, key)), isSecret: true }
}

/** The settings as a file. The page that shows the key sends it back: it is stored nowhere else. */
export const downloadApp: PageHandler = async (call) => {
  const { file } = appOf(call)
  const key = call.form.get('key') ?? ''
  if (!file) throw routeNotFound()
  if (!/^trc_[A-Za-z0-9]+_[A-Za-z0-9]+$/.test(key)) throw badRequest('key: must be an upload key')
  const { name, text } = file(contextOf(call, key))
  return call.reply
    .headers({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${name.replaceAll(/[^\w.-]/g, '_')}"`,
      'cache-control': 'no-store',
    })
    .send(text)
}

const mostKeys = 500

async function makeKeyFor(call: PageCall, { name }: UploadApp): Promise<string> {
  const { app, site } = call
  const keys = await listOwnKeys(site, userOf(call), { after: undefined, limit: mostKeys })
  const taken = new Set(keys.map((key) => key.name))
  let free = name
  for (let number = 2; taken.has(free); number += 1) free = `${name} ${number}`
  const noLimits = { expiresAt: undefined, allowedOrigins: [], allowedAddresses: [] }
  const created = await changeSite(app.control, site, (changing) =>
    createOwnKey(changing, userOf(call), { name: free, scope: 'upload', ...noLimits }),
  )
  return created.key
}

function appOf({ params }: PageCall): UploadApp {
  const found = uploadApps.find(({ id }) => id === params.app)
  if (!found) throw routeNotFound()
  return found
}

const contextOf = (call: PageCall, key: string): AppContext => ({
  key,
  siteName: call.site.hostname,
  uploadUrl: addressOf(call, '/api/1/upload'),
})

/** Every program with a button that makes its key. */
async function appsPage(call: PageCall, fault?: string): Promise<string> {
  const { reader, site } = call
  const { words } = reader
  const isOn = isSwitchedOn(site.values, 'SERVICE_ENABLE_API_USER')
  const make = ({ id, name }: UploadApp) =>
    html`<form method="post" action="/settings/apps/${id}">${tokenField(reader)}${submitButton(words.appMake, { look: 'plain', more: { 'aria-label': `${words.appMake}: ${name}` } })}</form>`
  const entry = (app: UploadApp): Html =>
    html`<li><div><h3>${app.name}</h3><p class="soft">${app.system}</p></div>${isOn ? make(app) : undefined}</li>`
  const off = isOn || fault !== undefined ? undefined : banner(html`<p>${words.uploadKeysOff}</p>`, 'warn')
  const content = html`${formFault(fault)}${off}<p class="soft">${words.appsText}</p>
<ul class="apps">${uploadApps.map(entry)}</ul>
${await presetHelp(call)}`
  return settingsPage(call, '/settings/apps', settingsPart(words.settingsApps, content))
}

/** What programs put behind the address of an upload to get it in the size of a preset. */
async function presetHelp({ site, reader }: PageCall): Promise<Html | undefined> {
  const { words } = reader
  const isOn = isSwitchedOn(site.values, 'SERVICE_ENABLE_TRANSFORMS')
  const presets = isOn ? (await listPresets(site)).slice(0, mostShownPresets) : []
  if (presets.length === 0) return undefined
  const fields = presets.map(({ name }) =>
    codeField({
      id: `preset-${name}`,
      label: name,
      text: `?preset=${name}`,
      copy: { label: words.copy, name: words.copyNamed(words.presets, name) },
    }),
  )
  return html`<h3>${words.appPresets}</h3>
<p class="soft">${words.appPresetsText(`{json:image.url}?preset=${presets[0]?.name ?? ''}`)}</p>
<div class="stack">${fields}</div>`
}

const mostShownPresets = 10

/** The settings of one program. */
function appPage(call: PageCall, app: UploadApp, context: AppContext): string {
  const { reader } = call
  const { words } = reader
  const settings = app.fields(context, words)
  const fields = settings.map(({ label, text }, index) =>
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
    ? qrCode(settings.map(({ label, text }) => `${label}: ${text}`).join('\n'), words.appQrCode)
    : undefined
  const content = html`${banner(html`<p>${words.keyMade(app.name)} ${words.keyOnce}</p>`, 'good')}
<p>${words.appHow[app.id]}</p>
${file && download}
<div class="stack">${fields}</div>
${code}
<p>${linkButton(words.appsAll, '/settings/apps', { look: 'plain' })}</p>`
  return settingsPage(call, '/settings/apps', settingsPart(app.name, content))
}
