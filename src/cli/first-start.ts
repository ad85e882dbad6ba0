import { createHmac, hash } from 'node:crypto'
import type { App } from '../app.ts'
import type { Config } from '../config.ts'
import { requestSecretPath } from '../control/index.ts'
import { ownUrl, publicUrl } from '../http/index.ts'
import { randomHex } from '../lib/ids.ts'
import type { Demo } from '../tenants/index.ts'
import type { Sheet } from './sheet.ts'

type Opened = Pick<App, 'config' | 'requestSecret' | 'control'>

/** What the first start tells, and never again. */
export function firstStartText(sheet: Sheet, app: Opened, demo: Demo): string {
  const { config } = app
  const secretPlace =
    config.requestSecret === undefined
      ? `${requestSecretPath(config.dataDir)} (shown by: tenants secret:show)`
      : 'SERVICE_TENANTS_API_REQUEST_SECRET'
  const rows = [
    ['Site', publicUrl(config, demo.hostname)],
    ['Admin', demo.username],
    ['Password', demo.password],
    ['Upload key', demo.uploadKey],
    ['Management key', demo.managementKey],
    ['Signing secret', secretPlace],
  ] as const
  return [
    `${sheet.paint(['bold', 'green'], 'Terrace is up.')} A site to try it with is made. This is shown once:`,
    rows.map(([label, value]) => `  ${sheet.paint('dim', label.padEnd(14))}  ${value}`).join('\n'),
    `List the tenants${config.isV2Required ? ' (within five minutes, once)' : ''}:`,
    `  ${sheet.paint('cyan', listLine(app, demo.managementKey))}`,
    'Upload a small green picture:',
    `  ${sheet.paint('cyan', uploadLine(config, demo))}`,
  ].join('\n\n')
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

/** A square of 64 pixels, as PNG in base64. */
const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAQMAAACQp+OdAAAAA1BMVEUui1e40dPnAAAAD0lEQVR42mNgGAWjgHwAAAJAAAHgTR1EAAAAAElFTkSuQmCC'

function uploadLine(config: Config, { hostname, uploadKey }: Demo): string {
  const isDirect = isReachedAt(config, hostname)
  const headers = { 'X-API-Key': uploadKey, ...(isDirect ? {} : { Host: hostname }) }
  const base = isDirect ? publicUrl(config, hostname) : `${ownUrl(config)}/`
  return curlLine(headers, [`--data-urlencode 'source=${picture}'`, `'${base}api/1/upload'`])
}

const localHosts = new Set(['127.0.0.1', 'localhost', '0.0.0.0', '::', '::1'])

/** Whether this machine reaches us at the address that the outside sees, without the proxy that may stand before us. */
function isReachedAt(config: Config, hostname: string): boolean {
  const own = publicUrl({ ...config, publicScheme: undefined, publicPort: undefined }, hostname)
  return localHosts.has(config.listen.host) && publicUrl(config, hostname) === own
}

function curlLine(headers: Readonly<Record<string, string | number>>, more: readonly string[]): string {
  const words = Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`)
  return ['curl', ...words, ...more].join(' ')
}
