import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export interface PostgresServer {
  url: string
  /** Of the process that all of its processes descend from. */
  pid: number
  /** Ends it as a crash (SIGKILL) or as `pg_ctl -m immediate` (SIGQUIT), and has it back at the same place. */
  restart(signal: 'SIGKILL' | 'SIGQUIT'): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** A real PostgreSQL on a temporary folder. It goes away with this process, however this process ends. */
export async function startPostgres(settings: readonly string[] = []): Promise<PostgresServer> {
  // A process group of its own, so that Ctrl-C leaves the keeper alive to clean up: it stops when its input ends.
  const program = fileURLToPath(new URL('postgres-keeper.ts', import.meta.url))
  const keeper = spawn(process.execPath, [program, ...settings], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  const ended = once(keeper, 'close')
  const [firstOutput] = await Promise.race([once(keeper.stdout, 'data'), ended])
  if (!Buffer.isBuffer(firstOutput)) throw new Error('PostgreSQL for the tests did not start.')

  return {
    url: firstOutput.toString().trim(),
    pid: keeper.pid ?? 0,
    async restart(signal) {
      const isUp = once(keeper.stdout, 'data')
      keeper.stdin.write(`${signal}\n`)
      const [output] = await Promise.race([isUp, ended])
      if (!Buffer.isBuffer(output)) throw new Error('PostgreSQL for the tests did not come back.')
    },
    async [Symbol.asyncDispose]() {
      keeper.stdin.end()
      await ended
    },
  }
}
