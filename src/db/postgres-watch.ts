import pg from 'pg'

/** What operators set, or what is only told of sites. */
export type Matter = 'set' | 'told'

/** Notices say which of the two has changed. */
export const controlChannel = 'terrace_control'

/** Tells when another server has changed a control row. */
interface ControlWatch extends AsyncDisposable {
  /** Of what is set. */
  version(): number
  /** Of both. */
  toldVersion(): number
  raise(matter: Matter): void
}

const pollEveryMs = 400
/** A connection can fall silent without breaking. What was heard longer ago than this is not believed. */
const believedForMs = 900

/**
 * Listens for notices, and asks for the version again and again as a net under them.
 * While it cannot hear, no two answers of `version` are alike, so that nothing cached is believed.
 */
export async function watchControl(url: string, onFault: (error: Error) => void): Promise<ControlWatch> {
  const versions: Record<Matter, number> = { set: 1, told: 1 }
  let stored: Record<string, string> = {}
  let listener: pg.Client | undefined
  let heardAt = 0
  let isClosed = false

  const raise = (matter: Matter) => {
    versions[matter] += 1
  }

  async function listen(): Promise<void> {
    const client = new pg.Client({
      connectionString: url,
      application_name: 'terrace-watch',
      keepAlive: true,
      connectionTimeoutMillis: 2_000,
      query_timeout: 2_000,
    })
    const lose = (error?: Error) => {
      if (listener === client) listener = undefined
      raise('set')
      if (error && !isClosed) onFault(error)
    }
    client.on('notification', ({ payload }) => raise(payload === 'told' ? 'told' : 'set'))
    client.on('error', lose)
    client.on('end', () => lose())
    await client.connect()
    await client.query(`listen ${controlChannel}`)
    raise('set')
    listener = client
  }

  async function poll(): Promise<void> {
    try {
      if (!listener) await listen()
      const askedAt = performance.now()
      const result = await listener?.query<{ name: string; value: string }>(
        `select "name", "value" from "meta" where "name" in ('version', 'told')`,
      )
      const now = Object.fromEntries(result?.rows.map(({ name, value }) => [name, value]) ?? [])
      if (now.version !== stored.version) raise('set')
      if (now.told !== stored.told) raise('told')
      stored = now
      heardAt = askedAt
    } catch (error) {
      const lost = listener
      listener = undefined
      // Not waited for: a silent connection does not say goodbye either.
      void lost?.end().catch(() => undefined)
      if (!isClosed) onFault(error as Error)
    }
  }

  await poll()
  let timer = setTimeout(tick, pollEveryMs).unref()
  async function tick(): Promise<void> {
    await poll()
    if (!isClosed) timer = setTimeout(tick, pollEveryMs).unref()
  }

  const version = () => {
    if (!listener || performance.now() - heardAt > believedForMs) raise('set')
    return versions.set
  }
  return {
    version,
    toldVersion: () => version() + versions.told,
    raise,
    async [Symbol.asyncDispose]() {
      isClosed = true
      clearTimeout(timer)
      await listener?.end().catch(() => undefined)
    },
  }
}
