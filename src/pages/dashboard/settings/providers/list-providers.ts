import { listProviders, moveProvider, type Provider, switchProvider } from '../../../../accounts/index.ts'
import { responseOfRefusal } from '../../../../http/responses/errors.ts'
import { type Html, html } from '../../../../lib/html.ts'
import { Refusal } from '../../../../lib/refusal.ts'
import { limitOf } from '../../../../site/index.ts'
import { changeSite } from '../../../../tenants/index.ts'
import { tokenField } from '../../../../ui/form.ts'
import { linkButton, submitButton } from '../../../../ui/parts/controls.ts'
import { chip, table } from '../../../../ui/parts/lists.ts'
import { emptyState } from '../../../../ui/parts/states.ts'
import { refusalText } from '../../../../ui/refusal-words.ts'
import { orRefusal } from '../../../../ui/refused.ts'
import { writeNumber } from '../../../../words/format.ts'
import { providerNameIn } from '../../../account/log-in/connect/provider-access.ts'
import { formFault } from '../../../account/settings/settings-frame.ts'
import { type PageCall, type PageHandler, userOf } from '../../../page-call.ts'
import { dashboardPage } from '../../dashboard-frame.ts'

export const showProviders: PageHandler = async (call) => ({ page: await listPage(call) })

export const postSwitchProvider: PageHandler = async (call) => {
  const change = { name: providerNameIn(call), isEnabled: call.form.get('to') === 'on' }
  const changed = await orRefusal(
    changeSite(call.app.control, call.site, (site) => switchProvider(site, userOf(call), change)),
  )
  if (!(changed instanceof Refusal)) return { to: '/dashboard/providers?saved=1' }
  if (changed.code !== 'limit-reached') throw changed
  const { status, headers } = responseOfRefusal(changed)
  const fault = refusalText(call.reader, changed)
  return { page: await listPage(call, fault), status, headers }
}

export const postMoveProvider: PageHandler = async (call) => {
  const move = { name: providerNameIn(call), isUp: call.form.get('to') === 'up' }
  await changeSite(call.app.control, call.site, (site) => moveProvider(site, userOf(call), move))
  return { to: '/dashboard/providers?saved=1' }
}

async function listPage(call: PageCall, fault?: string): Promise<string> {
  const { words } = call.reader
  const providers = await listProviders(call.site)
  const content = html`<p class="soft">${words.providersText}</p>
${limitText(call)}
${formFault(fault)}
<p class="actions">${linkButton(words.providerNew, '/dashboard/providers/new', { icon: 'add' })}</p>
${providers.length === 0 ? emptyState({ title: words.providersEmpty, text: words.providersEmptyText }) : providerTable(call, providers)}`
  return dashboardPage(call, { part: '/dashboard/providers', content })
}

function limitText({ site, reader }: PageCall): Html | undefined {
  const limit = limitOf(site.values, 'SERVICE_MAX_LOGIN_PROVIDERS')
  if (limit === undefined) return undefined
  return html`<p class="soft">${reader.words.providersLimit(writeNumber(reader.language, limit))}</p>`
}

function providerTable(call: PageCall, providers: readonly Provider[]): Html {
  const { words } = call.reader
  const rows = providers.map((provider) => [
    html`<a href="/dashboard/providers/${provider.name}" dir="auto">${provider.title}</a>`,
    html`<span class="mono breaks">${provider.issuer}</span>`,
    provider.isEnabled ? chip(words.providerIsOn, 'good') : chip(words.providerOff),
    switchForm(call, provider),
    moveForm(call, provider),
  ])
  const names = [
    words.providerTitle,
    words.providerIssuer,
    words.providerState,
    words.action,
    words.providerOrder,
  ]
  return table(
    words.providers,
    names.map((name) => ({ name })),
    rows,
  )
}

function switchForm({ reader }: PageCall, { name, title, isEnabled }: Provider): Html {
  const { words } = reader
  const label = isEnabled ? words.providerSwitchOff : words.providerSwitchOn
  const button = submitButton(label, {
    look: 'plain',
    isDense: true,
    more: { name: 'to', value: isEnabled ? 'off' : 'on', 'aria-label': `${label}: ${title}` },
  })
  return html`<form method="post" action="/dashboard/providers/${name}/switch">${tokenField(reader)}${button}</form>`
}

function moveForm({ reader }: PageCall, { name, title }: Provider): Html {
  const { words } = reader
  const move = (to: 'up' | 'down', label: string) =>
    submitButton(`${label}: ${title}`, {
      look: 'quiet',
      icon: to,
      isDense: true,
      hasOnlyIcon: true,
      more: { name: 'to', value: to },
    })
  return html`<form method="post" action="/dashboard/providers/${name}/move" class="joined">${tokenField(reader)}${move('up', words.providerUp)}${move('down', words.providerDown)}</form>`
}
