import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { buildProgram, isWebBuilt } from '../../../build.mjs'
import { buildWeb } from '../../../web/build.ts'
import { startPostgres } from '../stores/postgres-server.ts'
import { startRadosgwServer } from '../stores/radosgw-server.ts'
import type { ServerName, ServerOfRun } from './run-servers.ts'
import { buildPrograms } from './test-programs.ts'

declare module 'vitest' {
  interface ProvidedContext {
    serversPort: number
    /** Removed when the run ends. */
    runFolder: string
  }
}

interface Started extends AsyncDisposable {
  address: string
}

const starters: Record<ServerName, () => Promise<Started>> = {
  async postgres() {
    const server = await startPostgres()
    return { address: server.url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
  },
  radosgw: startRadosgwServer,
}

/** One PostgreSQL and one S3 server for the whole run, each started when the first test asks for it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Tests start the program as people do.
  await buildProgram()
  if (project.config.env.TEST_TIER !== 'quick') await buildPrograms()
  if (!isWebBuilt()) await buildWeb()
  const started = new Map<ServerName, Promise<Started>>()
  const start = (name: ServerName) => {
    const server = started.get(name) ?? starters[name]()
    started.set(name, server)
    return server
  }
  const io = createServer(async (request, response) => {
    const name = request.url?.slice(1) as ServerName
    const answer: ServerOfRun = await start(name).then(
      ({ address }) => ({ address }),
      (error: Error) => ({ fault: error.message }),
    )
    response.end(JSON.stringify(answer))
  }).listen(0, '127.0.0.1')
  await once(io, 'listening')
  const address = io.address()
  if (address === null || typeof address === 'string') throw new Error('The test servers have no port.')
  project.provide('serversPort', address.port)
  const folder = project.config.env.TMPDIR
  if (!folder) throw new Error('The tests have no folder.')
  await mkdir(folder, { recursive: true })
  const runFolder = await mkdtemp(join(folder, 'run-'))
  project.provide('runFolder', runFolder)

  return async () => {
    // A worker's Chromium may still be writing: the process removes what is left when it ends.
    const options = { recursive: true, force: true, maxRetries: 5 }
    process.once('exit', () => {
      try {
        rmSync(folder, options)
      } catch (error) {
        console.error(`${folder} is left: ${error}`)
      }
    })
    await rm(folder, options).catch(() => undefined)
    io.closeAllConnections()
    io.close()
    for (const server of started.values())
      await (await server.catch(() => undefined))?.[Symbol.asyncDispose]()
  }
}
