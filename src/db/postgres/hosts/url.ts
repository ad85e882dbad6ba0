/** What a postgres:// URL says, with the meaning that libpq gives it. */
export interface PostgresUrl {
  /** In the order in which they are preferred. */
  hosts: readonly PostgresHost[]
  target: Target
  tls: TlsSettings
}

export interface PostgresHost {
  /** Host and port, for messages. */
  name: string
  /** For the driver: without what is read here. */
  url: string
}

const targets = ['any', 'read-write', 'primary'] as const
/** Which of the hosts will do. */
export type Target = (typeof targets)[number]

const tlsModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
export type TlsMode = (typeof tlsModes)[number]

export interface TlsSettings {
  mode: TlsMode
  /** A file, or `system` for the authorities that Node knows. */
  sslrootcert: string | undefined
  sslcert: string | undefined
  sslkey: string | undefined
}

const form = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#]*)(.*)$/s

/** The error names the fault and not the value, which may hold a password. */
export function parsePostgresUrl(text: string): PostgresUrl {
  const urls = urlsOf(text)
  const parameters = new URLSearchParams(urls[0]?.search)
  const target = targetOf(parameters)
  const tls = tlsOf(parameters)
  if (parameters.get('host')?.includes(',')) throw new Error(severalHosts)
  return { hosts: urls.map(hostOf), target, tls }
}

const severalHosts =
  'must name several hosts before the database: postgres://user@host1:port1,host2:port2/database'

/** One for each host. */
function urlsOf(text: string): URL[] {
  const [, user, listed, rest] = form.exec(text) ?? []
  if (listed === undefined) throw new Error('must be a postgres:// URL')
  return listed
    .split(',')
    .map((host) => urlOf(`postgres://${user === undefined ? '' : `${user}@`}${host}${rest}`))
}

function urlOf(text: string): URL {
  if (!URL.canParse(text)) throw new Error('must be a postgres:// URL with hosts as host:port,host:port')
  return new URL(text)
}

function hostOf(url: URL): PostgresHost {
  const isRead = (name: string) => name === 'target_session_attrs' || name.startsWith('ssl')
  const passed = [...url.searchParams].filter(([name]) => !isRead(name) || name === 'sslnegotiation')
  const bare = new URL(url)
  bare.search = new URLSearchParams(passed).toString()
  const host = url.searchParams.get('host') ?? decodeURIComponent(url.hostname)
  return { name: `${host}:${url.port || 5432}`, url: bare.href }
}

function targetOf(parameters: URLSearchParams): Target {
  const value = parameters.get('target_session_attrs') ?? 'any'
  return oneOf(targets, 'target_session_attrs', value)
}

function tlsOf(parameters: URLSearchParams): TlsSettings {
  const known = ['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation']
  const unknown = [...parameters.keys()].find((name) => name.startsWith('ssl') && !known.includes(name))
  if (unknown !== undefined) throw new Error(`has ${unknown}, which is not supported`)
  const file = (name: string) => parameters.get(name) || undefined
  const mode = oneOf(tlsModes, 'sslmode', parameters.get('sslmode') ?? modeOfSwitch(parameters.get('ssl')))
  const [sslrootcert, sslcert, sslkey] = [file('sslrootcert'), file('sslcert'), file('sslkey')]
  if ((sslcert === undefined) !== (sslkey === undefined))
    throw new Error('needs sslcert and sslkey together: a certificate and its key')
  if (mode === 'verify-ca' && sslrootcert === undefined)
    throw new Error('needs sslrootcert for sslmode=verify-ca: the file of the authority')
  if (sslrootcert === 'system' && mode !== 'verify-full')
    throw new Error('needs sslmode=verify-full for sslrootcert=system')
  return { mode, sslrootcert, sslcert, sslkey }
}

/** `ssl=true` is what other drivers call `sslmode=require`; libpq takes it too. */
function modeOfSwitch(value: string | null): string {
  if (value === null) return 'prefer'
  if (value === 'true' || value === '1') return 'require'
  if (value === 'false' || value === '0') return 'disable'
  throw new Error('must have ssl=true or ssl=false, or better sslmode')
}

function oneOf<T extends string>(values: readonly T[], name: string, value: string): T {
  const found = values.find((each) => each === value)
  if (found === undefined) throw new Error(`must have ${name} as one of ${values.join(', ')}`)
  return found
}

/** Host, port and database: what may be shown of a URL. */
export function describePostgresUrl(text: string): string {
  const hosts = urlsOf(text).map(hostOf)
  return `${hosts.map(({ name }) => name).join(',')}${databaseOf(hosts)}`
}

/** Whether two URLs name the same database, whatever the credentials: by a host that both list. */
export function isSamePostgres(one: string, two: string): boolean {
  const [first, second] = [urlsOf(one).map(hostOf), urlsOf(two).map(hostOf)]
  const names = new Set(first.map(({ name }) => name))
  return databaseOf(first) === databaseOf(second) && second.some(({ name }) => names.has(name))
}

const databaseOf = ([host]: readonly PostgresHost[]) => new URL(host?.url ?? '').pathname
