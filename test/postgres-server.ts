import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export interface PostgresServer {
  url: string
  [Symbol.asyncDispose](): Promise<void>
}

/** A real PostgreSQL on a temporary folder. It goes away with this process, however this process ends. */
export async function startPostgres(): Promise<PostgresServer> {
  // A process group of its own, so that Ctrl-C leaves the keeper alive to clean up: it stops when its input ends.
  const keeper = spawn(process.execPath, [fileURLToPath(new URL('postgres-keeper.ts', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  const ended = once(keeper, 'close')
  const [firstOutput] = await Promise.race([once(keeper.stdout, 'data'), ended])
  if (!Buffer.isBuffer(firstOutput)) throw new Error('PostgreSQL for the tests did not start.')

  return {
    url: firstOutput.toString().trim(),
    async [Symbol.asyncDispose]() {
      keeper.stdin.end()
      await ended
    },
  }
}
