import type { App } from '../app.ts'
import type { Config } from '../config.ts'
import { holdFolder, sitesWithLog } from '../db/index.ts'
import { publicUrl, type RunningServer, startServer } from '../http/index.ts'
import { findFfmpeg } from '../imaging/index.ts'
import { prepareJobs, startJobs, startMachineJobs } from '../jobs/index.ts'
import { makeFolder } from '../lib/durable.ts'
import { Refusal } from '../lib/refusal.ts'
import { finishDrops, makeDemo } from '../tenants/index.ts'
import { firstStartText } from './first-start.ts'
import type { Session } from './session.ts'
import { watchStopSignals } from './stop-signals.ts'
import { UsageFault } from './usage-fault.ts'

export async function serve(session: Session): Promise<void> {
  using stop = watchStopSignals()
  const config = await session.readConfig()
  for (const warning of config.warnings) {
    session.err.print(session.err.paint(['bold', 'yellow'], `WARNING: ${warning}`))
  }

  await checkFfmpeg(config)
  await makeFolder(config.dataDir)
  using _held = config.databaseUrl === undefined ? hold(config.dataDir) : undefined
  await using app = await session.openApp(config)
  // Before the first site is opened, and with it the log that a killed server left.
  await prepareJobs(app, config.databaseUrl === undefined ? await sitesWithLog(config.dataDir) : [])
  await finishDrops(app.control)
  await using server = await listen(app)
  app.imaging
    .warmUp()
    .catch(({ message, cause }) => app.log.error({ error: message, cause: String(cause) }, noDecoder))
  using _machine = startMachineJobs(app)
  await using _jobs = config.hasJobs ? startJobs(app) : undefined
  const listening = { ...config, listen: { ...config.listen, port: server.port } }

  // Only now: what is told once must not be lost because the port is taken.
  const demo = config.hasDemo ? await makeDemo(app.control) : undefined
  session.out.print(
    demo
      ? firstStartText(session.out, { ...app, config: listening }, demo)
      : `Terrace is up at ${publicUrl(listening, config.routing.hostname)}`,
  )
  await stop.asked
}

const noDecoder = 'No decoder starts: uploads are refused until one does'

/** One that is named must be one. Where none is, videos are taken without it. */
async function checkFfmpeg({ ffmpeg }: Config): Promise<void> {
  if (ffmpeg.named === undefined) return
  await findFfmpeg(ffmpeg).catch((refusal) => Promise.reject(new UsageFault([refusal.message])))
}

function hold(dataDir: string): Disposable {
  const held = holdFolder(dataDir)
  if (!held) {
    throw new Refusal(
      'conflict',
      'folder-held',
      `Another server runs on the data folder ${dataDir}. Stop it, or set SERVICE_DATA_DIR to another folder.`,
    )
  }
  return held
}

async function listen(app: App): Promise<RunningServer> {
  try {
    return await startServer(app)
  } catch (error) {
    throw cannotListen(app.config, error as NodeJS.ErrnoException & { port?: number })
  }
}

const listenFaults: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another program',
  EACCES: 'may not be used by this account',
  EADDRNOTAVAIL: 'is not an address of this machine',
  ENOTFOUND: 'is not an address of this machine',
}

function cannotListen(config: Config, error: NodeJS.ErrnoException & { port?: number }): Error {
  const fault = listenFaults[error.code ?? '']
  if (fault === undefined) return error
  const isInternal = error.port === config.internalPort && error.port !== config.listen.port
  const [setting, place] = isInternal
    ? ['SERVICE_INTERNAL_PORT', `127.0.0.1:${config.internalPort}`]
    : ['SERVICE_LISTEN or PORT', `${config.listen.host}:${config.listen.port}`]
  return new Refusal('unavailable', 'cannot-listen', `${setting}: ${place} ${fault}.`)
}
