import { once } from 'node:events'
import { createServer } from 'node:net'
import type { TestProject } from 'vitest/node'
import { type PostgresServer, startPostgres } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresDoorPort: number
  }
}

/** One PostgreSQL for the whole run, started when the first test knocks: a run without it pays nothing. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let postgres: Promise<PostgresServer> | undefined
  const door = createServer((socket) => {
    socket.on('error', () => {})
    postgres ??= startPostgres()
    postgres.then(
      (server) => socket.end(server.url),
      (error) => {
        console.error(error)
        socket.destroy()
      },
    )
  }).listen(0, '127.0.0.1')
  await once(door, 'listening')
  const address = door.address()
  if (address === null || typeof address === 'string') throw new Error('The door to PostgreSQL has no port.')
  project.provide('postgresDoorPort', address.port)

  return async () => {
    door.close()
    await (await postgres?.catch(() => undefined))?.[Symbol.asyncDispose]()
  }
}
