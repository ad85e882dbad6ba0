import { inject } from 'vitest'

export type ServerName = 'postgres' | 'radosgw'

export type ServerOfRun = { address: string; fault?: undefined } | { address?: undefined; fault: string }

const known = new Map<ServerName, Promise<ServerOfRun>>()

/** Asks the run's own process (`global-setup.ts`) for a server, which starts it for the first test that asks. */
export function addressOfRun(name: ServerName): Promise<ServerOfRun> {
  const server = known.get(name) ?? ask(name)
  known.set(name, server)
  return server
}

async function ask(name: ServerName): Promise<ServerOfRun> {
  const answer = await fetch(`http://127.0.0.1:${inject('serversPort')}/${name}`)
  return (await answer.json()) as ServerOfRun
}
