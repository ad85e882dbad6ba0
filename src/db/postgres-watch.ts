import pg from 'pg'

/** Tells when another server has changed a control row. */
interface ControlWatch extends AsyncDisposable {
  version(): number
  raise(): void
}

const pollEveryMs = 400
/** A connection can fall silent without breaking. What was heard longer ago than this is not believed. */
const believedForMs = 900

/**
 * Listens for notices, and asks for the version again and again as a net under them.
 * While it cannot hear, no two answers of `version` are alike, so that nothing cached is believed.
 */
export async function watchControl(url: string, onFault: (error: Error) => void): Promise<ControlWatch> {
  let version = 1
  let storedVersion: string | undefined
  let listener: pg.Client | undefined
  let heardAt = 0
  let isClosed = false

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
      version += 1
      if (error && !isClosed) onFault(error)
    }
    client.on('notification', () => {
      version += 1
    })
    client.on('error', lose)
    client.on('end', () => lose())
    await client.connect()
    await client.query('listen terrace_control')
    version += 1
    listener = client
  }

  async function poll(): Promise<void> {
    try {
      if (!listener) await listen()
      const askedAt = performance.now()
      const result = await listener?.query<{ value: string }>(
        `select "value" from "meta" where "name" = 'version'`,
      )
      const value = result?.rows[0]?.value
      if (value !== storedVersion) version += 1
      storedVersion = value
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

  return {
    version() {
      if (!listener || performance.now() - heardAt > believedForMs) version += 1
      return version
    },
    raise() {
      version += 1
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      clearTimeout(timer)
      await listener?.end().catch(() => undefined)
    },
  }
}
