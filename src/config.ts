import { isIP } from 'node:net'
import { isAbsolute, resolve } from 'node:path'
import { parseKeys } from './control/index.ts'
import { type AddressList, isCidr, parseAddressList } from './lib/addresses.ts'
import { normaliseHostname } from './lib/hosts.ts'
import { parseWholeNumber } from './lib/sizes.ts'
import { parseJsonObject } from './lib/strict-json.ts'
import { defaultValues, type SiteValues, toggles, valueFault } from './site/index.ts'
import { parseStorageUrl } from './storage/index.ts'
import { type RoutingOptions, valuesFaults } from './tenants/index.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface Config {
  listen: { host: string; port: number }
  /** A second listener on loopback, for what only the proxy may ask. */
  internalPort: number | undefined
  dataDir: string
  databaseUrl: string | undefined
  /** A bucket; without one, files are kept in the data folder. */
  storageUrl: string | undefined
  /** Where the program that takes frames from videos may be. */
  ffmpeg: { named: string | undefined; searchPath: string | undefined; isOff: boolean }
  encryptionKeys: readonly Uint8Array[] | undefined
  requestSecret: string | undefined
  isV2Required: boolean
  apiAllowList: AddressList
  trustedProxies: AddressList
  publicScheme: 'http' | 'https' | undefined
  publicPort: number | undefined
  routing: Omit<RoutingOptions, 'upstreams'> & { upstreams: readonly string[] | undefined }
  processValues: SiteValues
  enforcedValues: SiteValues
  hasDemo: boolean
  /** Whether the server does the work that nobody asks for, too. */
  hasJobs: boolean
  logLevel: string
  /** What can be lived with, but should be known. */
  warnings: readonly string[]
}

/** Every faulty setting, so that one look mends them all. */
export class ConfigFaults extends Error {
  readonly list: readonly string[]

  constructor(list: readonly string[]) {
    super(list.join('\n'))
    this.name = 'ConfigFaults'
    this.list = list
  }
}

/** Reads all settings; pure, so that everything it decides stands in what it returns. */
export function readConfig(environment: Environment, workingFolder: string): Config {
  const faults: string[] = []
  const warnings: string[] = []
  const text = (name: string) => environment[name]?.trim() || undefined
  const read = <T>(name: string, fallback: T, parse: (value: string) => T): T => {
    const value = text(name)
    if (value === undefined) return fallback
    try {
      return parse(value)
    } catch (error) {
      faults.push(`${name}: ${(error as Error).message}`)
      return fallback
    }
  }

  const listen = read('SERVICE_LISTEN', { host: '127.0.0.1', port: 8080 }, parseListen)
  const config: Config = {
    listen: { ...listen, port: read('PORT', listen.port, parsePort) },
    internalPort: read('SERVICE_INTERNAL_PORT', undefined, parsePort),
    dataDir: resolve(workingFolder, text('SERVICE_DATA_DIR') ?? 'data'),
    databaseUrl: read('SERVICE_DATABASE_URL', undefined, parseDatabaseUrl),
    storageUrl: read('SERVICE_STORAGE_URL', undefined, checkStorageUrl),
    ffmpeg: { ...read('FFMPEG_PATH', anyFfmpeg, parseFfmpeg), searchPath: text('PATH') },
    encryptionKeys: read('SERVICE_ENCRYPTION_KEY', undefined, (value) => parseKeys(value.split(','))),
    requestSecret: environment.SERVICE_TENANTS_API_REQUEST_SECRET,
    isV2Required: read('SERVICE_TENANTS_API_REQUIRE_V2', false, parseSwitch),
    apiAllowList: read('SERVICE_TENANTS_API_IP_ALLOW_LIST', parseAddressList(''), parseAddressList),
    trustedProxies: read('SERVICE_TRUSTED_PROXIES', parseAddressList(''), parseAddressList),
    publicScheme: read('SERVICE_PUBLIC_SCHEME', undefined, parseScheme),
    publicPort: read('SERVICE_PUBLIC_PORT', undefined, parsePort),
    routing: {
      hostname: read('SERVICE_HOSTNAME', 'localhost', parseHostname),
      serviceName: read('SERVICE_NAME', 'service', parseName),
      upstreams: read('SERVICE_PROXY_UPSTREAMS', undefined, (value) => parseList(value, parseUpstream)),
      entryPoints: read('SERVICE_PROXY_ENTRYPOINTS', ['websecure'], (value) => parseList(value, parseName)),
      allowedRanges: read('SERVICE_PROXY_IP_ALLOW_LIST', ['0.0.0.0/0', '::/0'], (value) =>
        parseList(value, parseRange),
      ),
    },
    processValues: processValuesOf(text, faults),
    enforcedValues: read<SiteValues>('SERVICE_TENANT_ENFORCED', new Map(), parseEnforced),
    hasDemo: read('SERVICE_DEMO', true, parseSwitch),
    hasJobs: read('SERVICE_JOBS', true, parseSwitch),
    logLevel: read('SERVICE_LOG_LEVEL', 'info', parseLogLevel),
    warnings,
  }
  if (config.internalPort === config.listen.port)
    faults.push('SERVICE_INTERNAL_PORT: must not be the port that everybody asks')
  checkSecret(config.requestSecret, faults, warnings)
  warnings.push(...unknownNames(environment))
  if (faults.length > 0) throw new ConfigFaults(faults)
  return config
}

function parseListen(value: string): { host: string; port: number } {
  const [, bracketed, plain, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]]*)):(\d+)$/.exec(value) ?? []
  const host = bracketed ?? (plain || '127.0.0.1')
  if (port === undefined || (isIP(host) === 0 && normaliseHostname(host) === undefined))
    throw new Error(`must be host:port, not "${value}"`)
  return { host, port: parsePort(port) }
}

function parsePort(value: string): number {
  const port = parseWholeNumber(value)
  if (!port || port > 65_535) throw new Error(`must be a port from 1 to 65535, not "${value}"`)
  return port
}

function parseDatabaseUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url?.protocol !== 'postgres:' && url?.protocol !== 'postgresql:')
    throw new Error('must be a postgres:// URL')
  return value
}

function checkStorageUrl(value: string): string {
  parseStorageUrl(value)
  return value
}

const anyFfmpeg = { named: undefined, isOff: false }

function parseFfmpeg(value: string): { named: string | undefined; isOff: boolean } {
  if (value === 'none') return { named: undefined, isOff: true }
  if (!isAbsolute(value)) throw new Error(`must be the whole path of a program or none, not "${value}"`)
  return { named: value, isOff: false }
}

function parseSwitch(value: string): boolean {
  if (value !== '0' && value !== '1') throw new Error(`must be 0 or 1, not "${value}"`)
  return value === '1'
}

function parseScheme(value: string): Config['publicScheme'] {
  if (value !== 'http' && value !== 'https') throw new Error(`must be http or https, not "${value}"`)
  return value
}

function parseHostname(value: string): string {
  const hostname = normaliseHostname(value)
  if (hostname === undefined) throw new Error(`must be a DNS name, not "${value}"`)
  return hostname
}

function parseName(value: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(value))
    throw new Error(`must be a name of A-Z a-z 0-9 _ -, not "${value}"`)
  return value
}

function parseUpstream(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:'
  // What stands there may hold a password, so that it is not told back.
  if (!isWeb || url.href !== `${url.origin}/`) throw new Error('must be http(s)://host:port and no more')
  return url.origin
}

function parseRange(value: string): string {
  if (!isCidr(value)) throw new Error(`must be ranges like 10.0.0.0/8, not "${value}"`)
  return value
}

function parseList<T>(value: string, parse: (entry: string) => T): T[] {
  return value.split(',').map((entry) => parse(entry.trim()))
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

function parseLogLevel(value: string): string {
  if (!logLevels.includes(value)) throw new Error(`must be one of ${logLevels.join(', ')}, not "${value}"`)
  return value
}

function parseEnforced(value: string): SiteValues {
  const values = Object.entries(parseJsonObject(Buffer.from(value)))
  const faults = values.flatMap(([name, entry]) => enforcedFaults(name, entry))
  if (faults.length > 0) throw new Error(faults.join('; '))
  return new Map(values.map(([name, entry]) => [name, String(entry)]))
}

function enforcedFaults(name: string, entry: unknown): string[] {
  if (typeof entry === 'string' || typeof entry === 'number' || typeof entry === 'boolean')
    return valuesFaults({ [name]: entry })
  return [`${name}: must be a string, a number or a boolean`]
}

/** Only the names that mean something to a site: nothing else of the process's environment is a tenant's business. */
function processValuesOf(text: (name: string) => string | undefined, faults: string[]): SiteValues {
  const values = new Map<string, string>()
  for (const name of defaultValues.keys()) {
    const value = text(name)
    if (value === undefined) continue
    const fault = valueFault(name, value) ?? toggleFault(name, value)
    if (fault !== undefined) faults.push(`${name}: ${fault}`)
    values.set(name, value)
  }
  return values
}

const switches: ReadonlySet<string> = new Set([...toggles, 'SERVICE_UPLOAD_EARLIEST_FIELDS'])

const toggleFault = (name: string, value: string) =>
  switches.has(name) && !/^(0|1|true|false|on|off|yes|no)$/i.test(value)
    ? `must be 0 or 1, not "${value}"`
    : undefined

const shortestSecret = 16

function checkSecret(secret: string | undefined, faults: string[], warnings: string[]): void {
  const name = 'SERVICE_TENANTS_API_REQUEST_SECRET'
  if (secret === undefined) return
  if (secret === '') faults.push(`${name}: must not be empty; leave it out to have one made`)
  else if (Buffer.byteLength(secret) < shortestSecret) {
    warnings.push(
      `${name} IS SHORTER THAN ${shortestSecret} BYTES: anyone may guess it and delete every tenant.`,
    )
  }
}

const knownNames = new Set([
  ...defaultValues.keys(),
  ...`LISTEN INTERNAL_PORT DATA_DIR DATABASE_URL STORAGE_URL ENCRYPTION_KEY TENANTS_API_REQUEST_SECRET TENANTS_API_REQUIRE_V2
  TENANTS_API_IP_ALLOW_LIST TRUSTED_PROXIES PUBLIC_SCHEME PUBLIC_PORT HOSTNAME NAME PROXY_UPSTREAMS PROXY_ENTRYPOINTS
  PROXY_IP_ALLOW_LIST TENANT_ENFORCED DEMO JOBS LOG_LEVEL`
    .split(/\s+/)
    .map((name) => `SERVICE_${name}`),
])

function unknownNames(environment: Environment): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith('SERVICE_') && !knownNames.has(name))
    .map((name) => `${name} is not a setting and has no effect.`)
}
