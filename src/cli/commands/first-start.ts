import { createHmac, hash } from 'node:crypto'
import type { App } from '../../app.ts'
import type { Config } from '../../config.ts'
import { hasOperator, type InvitedOperator, requestSecretPath } from '../../control/index.ts'
import { consoleUrl, inviteUrl } from '../../http/addresses/console-address.ts'
import { ownUrl, publicUrl } from '../../http/addresses/public-url.ts'
import { randomHex } from '../../lib/ids.ts'
import type { Demo } from '../../tenants/index.ts'
import { framedTable, type Rows } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'

type Opened = Pick<App, 'config' | 'requestSecret' | 'control'>

/** What the first start has made. */
interface FirstStart extends Demo {
  /** Undefined if the installation had an operator already. */
  operator: InvitedOperator | undefined
}

/** Printed by the first start only: the passwords and keys in it are stored hashed and cannot be shown again. */
export function firstStartText(terminal: Terminal, app: Opened, demo: FirstStart): string {
  const { config } = app
  const secretSource =
    config.requestSecret === undefined
      ? `${requestSecretPath(config.dataDir)} (shown by: tenants secret:show)`
      : 'SERVICE_TENANTS_API_REQUEST_SECRET'
  const rows: Rows = [
    ['Site', publicUrl(config, demo.hostname)],
    ['Admin', demo.username],
    ['Password', demo.password],
    ['Upload key', demo.uploadKey],
    ['Management key', demo.managementKey],
    ['Signing secret', secretSource],
    ['Console', consoleUrl(config)],
  ]
  return [
    `${terminal.paint(['bold', 'green'], 'Terrace is up.')} A demo site was created. Its keys are shown only once:`,
    framedTable(terminal, rows),
    `Log in at ${terminal.paint('cyan', `${publicUrl(config, demo.hostname)}login`)} as ${demo.username}, with the password above.`,
    ...(demo.operator ? [inviteText(terminal, config, demo.operator)] : []),
    ...(isOnlyHere(config, demo) ? [onlyHere] : []),
    ...(terminal.isTerminal ? [terminal.paint('bold', 'Next steps')] : []),
    `List the tenants${config.isV2Required ? ' (works once, within five minutes)' : ''}:`,
    `  ${terminal.paint('cyan', listLine(app, demo.managementKey))}`,
    'Upload a small green picture:',
    `  ${terminal.paint('cyan', uploadLine(config, demo))}`,
    ...(terminal.isTerminal ? nextSteps(terminal, publicUrl(config, demo.hostname)) : []),
  ].join('\n\n')
}

const inviteText = (terminal: Terminal, config: Config, { operator, token }: InvitedOperator): string =>
  `Set up the account "${operator.username}" of the console; the link works once, for 24 hours:\n\n  ${terminal.paint('cyan', inviteUrl(config, token))}`

const onlyHere =
  'The console has the hostname of the demo site, so it answers only on this machine. To open it from elsewhere, set SERVICE_CONSOLE_HOSTNAME.'

/** Behind the port of a container each request comes from elsewhere. */
const isOnlyHere = (config: Config, { hostname }: Demo): boolean =>
  config.console.hostname === hostname && !loopback.has(config.listen.host)

const loopback = new Set(['127.0.0.1', 'localhost', '::1'])

/** Printed by every later start. It shows no link: each start would leave one more in the logs. */
export async function laterStartText({ config, control }: Pick<App, 'config' | 'control'>): Promise<string> {
  const create = (await hasOperator(control))
    ? ''
    : '. Create its first operator: terrace operator:create --username NAME'
  return [
    `Terrace is up at ${publicUrl(config, config.routing.hostname)}`,
    `The console is at ${consoleUrl(config)}${create}`,
  ].join('\n')
}

/** For a terminal only: scripts read the lines above, which stay as they are. */
function nextSteps(terminal: Terminal, url: string): string[] {
  const create = 'bin/tenants create --id cats --hostname cats.localhost'
  const install =
    'bin/tenants install --id cats --username ada --email ada@example.com --password "correct horse"'
  return [
    `Open the site: ${terminal.paint('cyan', url)}`,
    `Create your own site at ${url.replace('//localhost', '//cats.localhost')}: in another terminal, with the same settings,`,
    `  ${terminal.paint('cyan', create)}\n  ${terminal.paint('cyan', install)}`,
    `All commands: ${terminal.paint('cyan', 'bin/tenants --help')}. The API: ${terminal.paint('cyan', `${url}_/docs`)}. To stop: Ctrl-C.`,
  ]
}

const path = '/_/api/4/tenants'

function listLine({ config, requestSecret, control }: Opened, key: string): string {
  const sign = (signed: string) => createHmac('sha256', requestSecret).update(signed).digest('hex')
  const headers: Record<string, string | number> = { 'X-API-Key': key }
  if (config.isV2Required) {
    const timestamp = Math.floor(control.clock.now().getTime() / 1_000)
    const nonce = randomHex(16)
    const signature = sign(['v2', timestamp, nonce, 'GET', path, hash('sha256', '')].join('\n'))
    Object.assign(headers, {
      'X-Signature-Version': 2,
      'X-Timestamp': timestamp,
      'X-Nonce': nonce,
      'X-Signature': signature,
    })
  } else {
    headers['X-Signature'] = sign('')
  }
  return curlLine(headers, [`'${ownUrl(config)}${path}'`])
}

/** A green PNG of 64 × 64 pixels, in base64. */
const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAQMAAACQp+OdAAAAA1BMVEUui1e40dPnAAAAD0lEQVR42mNgGAWjgHwAAAJAAAHgTR1EAAAAAElFTkSuQmCC'

function uploadLine(config: Config, { hostname, uploadKey }: Demo): string {
  const isDirect = isServedDirectly(config, hostname)
  const headers = { 'X-API-Key': uploadKey, ...(isDirect ? {} : { Host: hostname }) }
  const base = isDirect ? publicUrl(config, hostname) : `${ownUrl(config)}/`
  return curlLine(headers, [`--data-urlencode 'source=${picture}'`, `'${base}api/1/upload'`])
}

const localHosts = new Set(['127.0.0.1', 'localhost', '0.0.0.0', '::', '::1'])

/** Whether the site's public address leads to this server directly, without a proxy. */
function isServedDirectly(config: Config, hostname: string): boolean {
  const own = publicUrl({ ...config, publicScheme: undefined, publicPort: undefined }, hostname)
  return localHosts.has(config.listen.host) && publicUrl(config, hostname) === own
}

function curlLine(headers: Readonly<Record<string, string | number>>, more: readonly string[]): string {
  const args = Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`)
  return ['curl', ...args, ...more].join(' ')
}
