import { resolve } from 'node:path'
import { parseKeys } from './control/index.ts'
import { parsePostgresUrl } from './db/index.ts'
import { ConfigFaults } from './lib/config-faults.ts'
import { type AddressList, parseAddressList } from './lib/net/addresses.ts'
import type { ConnectionLimits } from './lib/net/connection-limits.ts'
import {
  asText,
  type CacheTagHeader,
  type Listen,
  listOf,
  noPurgeSecret,
  oneOf,
  parseBytes,
  parseDnsServer,
  parseFfmpeg,
  parseHostname,
  parseListen,
  parseName,
  parsePassphrase,
  parsePort,
  parseProcesses,
  parsePurgeUrl,
  parseRange,
  parseSender,
  parseSmtpUrl,
  parseSwitch,
  parseTagHeader,
  parseUpstream,
  parseWebhookSecret,
  usualListen,
  wholeNumberFrom,
} from './lib/setting-parsers.ts'
import { settingWarnings } from './lib/unknown-settings.ts'
import { defaultValues, renamedValues, type SiteValues, siteValuesOf } from './site/index.ts'
import { parseStorageUrl } from './storage/index.ts'
import { parseEnforced, type RoutingOptions } from './tenants/index.ts'

export type Environment = Readonly<Record<string, string | undefined>>

const setting = <T, Default extends T | undefined>(
  usual: Default,
  parse: (value: string) => T,
  help: string,
) => ({ default: usual, parse, help })

const checkedBy = (parse: (value: string) => unknown) => (value: string) => {
  parse(value)
  return value
}

const postgresUrl = checkedBy(parsePostgresUrl)
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']
const parseScheme = oneOf(['http', 'https'], 'http or https')
const seconds = (most: number) => wholeNumberFrom(1, most)
const noAddresses = parseAddressList('')
const noValues: SiteValues = new Map()
const everywhere = ['0.0.0.0/0', '::/0']

/**
 * Environment settings: one value for the whole process, read once at the start. A limit or switch that may differ by plan
 * or tenant belongs into `site/values.ts`; what a site's own administrator decides belongs into `site/settings.ts`.
 */
const settings = {
  SERVICE_LISTEN: setting(usualListen, parseListen, 'Address and port to listen on'),
  PORT: setting(undefined, parsePort, 'Port to listen on, as platforms set it'),
  SERVICE_INTERNAL_PORT: setting(undefined, parsePort, 'Second port, on loopback, for the proxy only'),
  SERVICE_DATA_DIR: setting('data', asText, 'Folder of the data'),
  SERVICE_AUDIT_HEADS: setting(undefined, asText, 'Folder of the signed heads of audit logs'),
  SERVICE_BACKUP_DIR: setting(undefined, asText, 'Folder of the backups that the console takes'),
  SERVICE_DATABASE_URL: setting(undefined, postgresUrl, 'PostgreSQL; SQLite in the data folder if not set'),
  SERVICE_DATABASE_DIRECT_URL: setting(undefined, postgresUrl, 'PostgreSQL itself, behind a pooler'),
  SERVICE_STORAGE_URL: setting(
    undefined,
    checkedBy(parseStorageUrl),
    'S3 bucket; the data folder if not set',
  ),
  SERVICE_SHARED_FILES: setting(false, parseSwitch, 'Whether the group may read stored files'),
  FFMPEG_PATH: setting({ named: undefined, isOff: false }, parseFfmpeg, 'Program for frames of videos'),
  PATH: setting(undefined, asText, 'Folders in which ffmpeg is looked for'),
  SERVICE_DECODER_PER_TENANT: setting(false, parseSwitch, 'Whether a decoder reads files of one tenant only'),
  SERVICE_DNS_SERVERS: setting(undefined, listOf(parseDnsServer), 'Name servers for uploads by URL'),
  SERVICE_LOG_LEVEL: setting('info', oneOf(logLevels, `one of ${logLevels.join(', ')}`), 'What is logged'),
  SERVICE_PROCESSES: setting(1, parseProcesses, 'Processes of this server'),
  SERVICE_JOBS: setting(true, parseSwitch, 'Whether the server runs the jobs too'),
  SERVICE_DEMO: setting(true, parseSwitch, 'Whether the first start makes a demo site'),
  SERVICE_DEVELOPMENT: setting(false, parseSwitch, 'Whether developers look at it'),

  SERVICE_TENANTS_API_REQUEST_SECRET: setting(undefined, asText, 'Signs requests to the management API'),
  SERVICE_ENCRYPTION_KEY: setting(
    undefined,
    (value) => parseKeys(value.split(',')),
    'Encrypts env of tenants',
  ),
  SERVICE_TENANTS_API_REQUIRE_V2: setting(false, parseSwitch, 'Refuse the replayable signature scheme'),
  SERVICE_TENANTS_API_IP_ALLOW_LIST: setting(noAddresses, parseAddressList, 'Clients of the management API'),

  SERVICE_TRUSTED_PROXIES: setting(noAddresses, parseAddressList, 'Proxies whose forwarding headers count'),
  SERVICE_TRUST_FORWARDED_HOST: setting(false, parseSwitch, 'Take the host from X-Forwarded-Host'),
  SERVICE_PUBLIC_SCHEME: setting(undefined, parseScheme, 'Scheme that visitors see'),
  SERVICE_PUBLIC_PORT: setting(undefined, parsePort, 'Port that visitors see'),
  SERVICE_HOSTNAME: setting('localhost', parseHostname, 'Hostname of the installation itself'),
  SERVICE_CONSOLE_HOSTNAME: setting(undefined, parseHostname, 'Hostname of the console'),
  SERVICE_CONSOLE_IP_ALLOW_LIST: setting(noAddresses, parseAddressList, 'Clients of the console'),
  SERVICE_NAME: setting('service', parseName, 'Name of the service in the proxy configuration'),
  SERVICE_PROXY_UPSTREAMS: setting(undefined, listOf(parseUpstream), 'Where the proxy reaches the servers'),
  SERVICE_PROXY_ENTRYPOINTS: setting(['websecure'], listOf(parseName), 'Entry points of the proxy'),
  SERVICE_PROXY_IP_ALLOW_LIST: setting(everywhere, listOf(parseRange), 'Visitors that the proxy lets in'),

  SERVICE_ARCHIVE_PASSPHRASE: setting(undefined, parsePassphrase, 'Encrypts the secrets of exported tenants'),

  SERVICE_SMTP_URL: setting(undefined, parseSmtpUrl, 'Mail server; without it no mail is sent'),
  SERVICE_MAIL_FROM: setting(undefined, parseSender, 'Sender of mails'),

  SERVICE_PURGE_URL: setting(undefined, parsePurgeUrl, 'Gets the addresses that caches must forget'),
  SERVICE_PURGE_SECRET: setting(undefined, parseWebhookSecret, 'Signs what SERVICE_PURGE_URL gets'),
  SERVICE_CACHE_TAG_HEADER: setting(
    [],
    listOf(parseTagHeader),
    'Headers that name tenant and file to caches',
  ),

  SERVICE_KEEP_ALIVE_SECONDS: setting(150, seconds(3_600), 'Longest idle time of a connection'),
  SERVICE_MIN_BYTES_PER_SECOND: setting(2_000, wholeNumberFrom(1, 1_000_000), 'Least speed of a transfer'),
  SERVICE_BODY_STALL_SECONDS: setting(60, seconds(3_600), 'Longest silence of a sender'),
  SERVICE_ANSWER_STALL_SECONDS: setting(240, seconds(3_600), 'Longest silence of a reader'),
  SERVICE_READERS_PER_ADDRESS: setting(100, wholeNumberFrom(1, 100_000), 'Long responses to one address'),
  SERVICE_UNAUTHENTICATED_BYTES: setting(512_000_000, parseBytes, 'Bytes of unauthenticated uploads'),
  SERVICE_UNAUTHENTICATED_BYTES_PER_ADDRESS: setting(128_000_000, parseBytes, 'The share of one address'),
  SERVICE_STOP_SECONDS: setting(20, seconds(25), 'Time that connections have to finish at the stop'),

  SERVICE_TENANT_ENFORCED: setting(noValues, parseEnforced, 'Values no plan or tenant can change'),
}

type SettingName = keyof typeof settings
type Value<Name extends SettingName> = (typeof settings)[Name] extends {
  default: infer Default
  parse: (value: string) => infer Parsed
}
  ? Default | Parsed
  : never

export interface Config {
  listen: Listen
  /** A second listener on loopback, for what only the proxy may ask. */
  internalPort: number | undefined
  dataDir: string
  /** Folder of the signed heads of audit logs. */
  auditHeads: string
  /** Folder of the backups that the console takes, lists and verifies. */
  backupDir: string
  databaseUrl: string | undefined
  databaseDirectUrl: string | undefined
  storageUrl: string | undefined
  isFilesShared: boolean
  isDecoderPerTenant: boolean
  ffmpeg: { named: string | undefined; searchPath: string | undefined; isOff: boolean }
  /** Undefined: the name servers of the system. */
  dnsServers: readonly string[] | undefined
  encryptionKeys: readonly Uint8Array[] | undefined
  /** Without the URL of a server no mail is sent. */
  mail: { url: string | undefined; from: string }
  requestSecret: string | undefined
  /** Gets the addresses that caches must forget, signed as Standard Webhooks. */
  purge: { url: string; secret: Buffer } | undefined
  cacheTagHeaders: readonly CacheTagHeader[]
  archivePassphrase: string | undefined
  isV2Required: boolean
  apiAllowList: AddressList
  /** Where operators work in the browser, and from where; an empty list allows every address. */
  console: { hostname: string; allowList: AddressList }
  trustedProxies: AddressList
  connections: ConnectionLimits
  isForwardedHostTrusted: boolean
  publicScheme: 'http' | 'https' | undefined
  publicPort: number | undefined
  routing: Omit<RoutingOptions, 'upstreams'> & { upstreams: readonly string[] | undefined }
  processValues: SiteValues
  enforcedValues: SiteValues
  hasDemo: boolean
  /** Shows the page of all parts, and takes a new build of the files for browsers without a restart. */
  isDevelopment: boolean
  /** How many processes this server has; `auto`: as many as the machine has room for. */
  processes: number | 'auto'
  hasJobs: boolean
  logLevel: string
  /** What does not stop the start, but should be known. */
  warnings: readonly string[]
}

export { ConfigFaults }

/** Reads all settings; pure, so that everything it decides is in its result. */
export function readConfig(environment: Environment, workingFolder: string): Config {
  const faults: string[] = []
  const text = (name: string) => environment[name]?.trim() || undefined
  const read = <Name extends SettingName>(name: Name): Value<Name> => {
    const { default: usual, parse } = settings[name]
    const value = text(name)
    if (value === undefined) return usual as Value<Name>
    try {
      return parse(value) as Value<Name>
    } catch (error) {
      faults.push(`${name}: ${(error as Error).message}`)
      return usual as Value<Name>
    }
  }
  const ms = (name: `${string}_SECONDS` & SettingName) => 1_000 * read(name)

  const folder = (path: string) => resolve(workingFolder, path)
  const listen = read('SERVICE_LISTEN')
  const hostname = read('SERVICE_HOSTNAME')
  const [url, secret] = [read('SERVICE_PURGE_URL'), read('SERVICE_PURGE_SECRET')]
  if (url && text('SERVICE_PURGE_SECRET') === undefined) faults.push(noPurgeSecret)
  const consoleHostname = read('SERVICE_CONSOLE_HOSTNAME') ?? hostname
  const config = {
    listen: { ...listen, port: read('PORT') ?? listen.port },
    internalPort: read('SERVICE_INTERNAL_PORT'),
    dataDir: folder(read('SERVICE_DATA_DIR')),
    auditHeads: folder(read('SERVICE_AUDIT_HEADS') ?? `${read('SERVICE_DATA_DIR')}/audit-heads`),
    backupDir: folder(read('SERVICE_BACKUP_DIR') ?? `${read('SERVICE_DATA_DIR')}/backups`),
    databaseUrl: read('SERVICE_DATABASE_URL'),
    databaseDirectUrl: read('SERVICE_DATABASE_DIRECT_URL'),
    storageUrl: read('SERVICE_STORAGE_URL'),
    isFilesShared: read('SERVICE_SHARED_FILES'),
    isDecoderPerTenant: read('SERVICE_DECODER_PER_TENANT'),
    ffmpeg: { ...read('FFMPEG_PATH'), searchPath: read('PATH') },
    dnsServers: read('SERVICE_DNS_SERVERS'),
    encryptionKeys: read('SERVICE_ENCRYPTION_KEY'),
    mail: { url: read('SERVICE_SMTP_URL'), from: read('SERVICE_MAIL_FROM') ?? `terrace@${hostname}` },
    // As it is, with spaces: other programs sign with the same text.
    requestSecret: environment.SERVICE_TENANTS_API_REQUEST_SECRET,
    archivePassphrase: read('SERVICE_ARCHIVE_PASSPHRASE'),
    isV2Required: read('SERVICE_TENANTS_API_REQUIRE_V2'),
    apiAllowList: read('SERVICE_TENANTS_API_IP_ALLOW_LIST'),
    console: { hostname: consoleHostname, allowList: read('SERVICE_CONSOLE_IP_ALLOW_LIST') },
    purge: url && secret ? { url, secret } : undefined,
    cacheTagHeaders: read('SERVICE_CACHE_TAG_HEADER'),
    trustedProxies: read('SERVICE_TRUSTED_PROXIES'),
    connections: {
      keepAliveMs: ms('SERVICE_KEEP_ALIVE_SECONDS'),
      minBytesPerSecond: read('SERVICE_MIN_BYTES_PER_SECOND'),
      bodyStallMs: ms('SERVICE_BODY_STALL_SECONDS'),
      answerStallMs: ms('SERVICE_ANSWER_STALL_SECONDS'),
      readersPerAddress: read('SERVICE_READERS_PER_ADDRESS'),
      unauthenticatedBytes: read('SERVICE_UNAUTHENTICATED_BYTES'),
      unauthenticatedBytesPerAddress: read('SERVICE_UNAUTHENTICATED_BYTES_PER_ADDRESS'),
      stopMs: ms('SERVICE_STOP_SECONDS'),
    },
    isForwardedHostTrusted: read('SERVICE_TRUST_FORWARDED_HOST'),
    publicScheme: read('SERVICE_PUBLIC_SCHEME'),
    publicPort: read('SERVICE_PUBLIC_PORT'),
    routing: {
      hostname,
      consoleHostname,
      serviceName: read('SERVICE_NAME'),
      upstreams: read('SERVICE_PROXY_UPSTREAMS'),
      entryPoints: read('SERVICE_PROXY_ENTRYPOINTS'),
      allowedRanges: read('SERVICE_PROXY_IP_ALLOW_LIST'),
    },
    processValues: siteValuesOf(environment, faults),
    enforcedValues: read('SERVICE_TENANT_ENFORCED'),
    hasDemo: read('SERVICE_DEMO'),
    isDevelopment: read('SERVICE_DEVELOPMENT'),
    processes: read('SERVICE_PROCESSES'),
    hasJobs: read('SERVICE_JOBS'),
    logLevel: read('SERVICE_LOG_LEVEL'),
  }
  faults.push(...faultsBetween(config))
  if (faults.length > 0) throw new ConfigFaults(faults)
  return { ...config, warnings: warningsOf(config, environment) }
}

function faultsBetween({ listen, internalPort, requestSecret }: Omit<Config, 'warnings'>): string[] {
  const faults: string[] = []
  if (internalPort === listen.port)
    faults.push('SERVICE_INTERNAL_PORT: must differ from the port that the server listens on')
  if (requestSecret === '')
    faults.push('SERVICE_TENANTS_API_REQUEST_SECRET: must not be empty; unset it to have one generated')
  return faults
}

const shortestSecret = 16

function warningsOf(config: Omit<Config, 'warnings'>, environment: Environment): string[] {
  const { requestSecret, isForwardedHostTrusted, trustedProxies } = config
  const warnings: string[] = []
  if (requestSecret !== undefined && Buffer.byteLength(requestSecret) < shortestSecret)
    warnings.push(
      `SERVICE_TENANTS_API_REQUEST_SECRET IS SHORTER THAN ${shortestSecret} BYTES: anyone could guess it and delete every tenant.`,
    )
  if (isForwardedHostTrusted && trustedProxies.isEmpty)
    warnings.push('SERVICE_TRUST_FORWARDED_HOST has no effect without SERVICE_TRUSTED_PROXIES.')
  if (config.databaseDirectUrl !== undefined && config.databaseUrl === undefined)
    warnings.push('SERVICE_DATABASE_DIRECT_URL has no effect without SERVICE_DATABASE_URL.')
  const names = new Set([...Object.keys(settings), ...defaultValues.keys()])
  warnings.push(...settingWarnings(Object.keys(environment), { names, renamed: renamedValues }))
  return warnings
}
