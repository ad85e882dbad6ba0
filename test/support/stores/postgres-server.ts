import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

type Ending = 'SIGKILL' | 'SIGQUIT' | 'SIGINT'

export interface PostgresServer {
  url: string
  /** Of the process that all of its processes descend from. */
  pid: number
  folder: string
  /** Ends it as a crash (SIGKILL), as `pg_ctl -m immediate` (SIGQUIT) or as `-m fast` (SIGINT). */
  end(signal: Ending): Promise<void>
  /** Starts it again on the same port and folder, with more settings. */
  start(settings?: readonly string[]): Promise<void>
  restart(signal: Ending): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** A real PostgreSQL on a temporary folder. It goes away with this process, however this process ends. */
export async function startPostgres(settings: readonly string[] = []): Promise<PostgresServer> {
  // A process group of its own, so that Ctrl-C leaves the keeper alive to clean up: it stops when its input ends.
  const program = fileURLToPath(new URL('./postgres-keeper.ts', import.meta.url))
  const keeper = spawn(process.execPath, [program, ...settings], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  const ended = once(keeper, 'close')
  const [firstOutput] = await Promise.race([once(keeper.stdout, 'data'), ended])
  if (!Buffer.isBuffer(firstOutput)) throw new Error('PostgreSQL for the tests did not start.')

  const [url = '', folder = ''] = firstOutput.toString().trim().split(' ')
  const order = async (...words: string[]) => {
    const isDone = once(keeper.stdout, 'data')
    keeper.stdin.write(`${words.join('\t')}\n`)
    const [output] = await Promise.race([isDone, ended])
    if (!Buffer.isBuffer(output)) throw new Error('PostgreSQL for the tests did not come back.')
  }
  return {
    url,
    folder,
    pid: keeper.pid ?? 0,
    end: (signal) => order('end', signal),
    start: (settings = []) => order('start', ...settings),
    async restart(signal) {
      await order('end', signal)
      await order('start')
    },
    async [Symbol.asyncDispose]() {
      keeper.stdin.end()
      await ended
    },
  }
}
