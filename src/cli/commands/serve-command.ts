import type { App } from '../../app.ts'
import type { Config } from '../../config.ts'
import { createFirstOperator } from '../../control/index.ts'
import { lockFolder, uncleanlyClosedSites } from '../../db/index.ts'
import { startServer } from '../../doors.ts'
import type { RunningServer } from '../../http/server.ts'
import { spoolFolderOf } from '../../http/uploads/source/spool.ts'
import { findFfmpeg, layerTexts } from '../../imaging/index.ts'
import { prepareJobs, scheduleInstallation, startJobs, startMachineJobs } from '../../jobs/index.ts'
import { makeFolder } from '../../lib/files/durable.ts'
import { processesFor, roomHere } from '../../lib/processes/process-count.ts'
import { Processes } from '../../lib/processes/processes.ts'
import { Refusal } from '../../lib/refusal.ts'
import { type Demo, fillDemo, finishDrops, makeDemo } from '../../tenants/index.ts'
import { startFurtherProcesses } from '../serving/further-processes.ts'
import type { Session } from '../session.ts'
import { watchStopSignals } from '../terminal/stop-signals.ts'
import { UsageFault } from '../terminal/usage-fault.ts'
import { firstStartText, laterStartText } from './first-start.ts'

export async function serve(session: Session): Promise<void> {
  using stop = watchStopSignals()
  const config = await session.readConfig()
  for (const warning of config.warnings) session.warn(warning)

  await checkFfmpeg(config)
  await makeFolder(config.dataDir)
  using _folderLock = config.databaseUrl === undefined ? lockDataFolder(config.dataDir) : undefined
  const count = config.processes === 'auto' ? processesFor(roomHere()) : config.processes
  await using app = await session.openApp(config, new Processes(count))
  const shortage = await app.control.store.connectionWarning()
  if (shortage !== undefined) session.warn(shortage)
  // Before the first site is opened: a leftover write-ahead log is the sign of an unclean shutdown, and opening the
  // site's database would remove it.
  await prepareJobs(app, config.databaseUrl === undefined ? await uncleanlyClosedSites(config.dataDir) : [])
  await finishDrops(app.control)
  await using server = await listen(app)
  await scheduleInstallation(app)
  using _machine = startMachineJobs(app)
  await using further = startFurtherProcesses(app, { port: server.port, environment: session.environment })
  await using jobs = config.hasJobs ? startJobs(app) : undefined
  const listening = { ...config, listen: { ...config.listen, port: server.port } }

  // After listening has succeeded: keys that are shown only once must not be lost because the port is taken.
  const demo = config.hasDemo ? await makeDemo(app.control) : undefined
  const here = { ...app, config: listening }
  session.out.print(
    demo
      ? firstStartText(session.out, here, {
          ...demo,
          operator: await createFirstOperator(app.control, 'operator'),
        })
      : await laterStartText(here),
  )
  using _warming = warmUpSoon(app)
  await using _filling = demo && fillSoon(app, demo)
  await stop.requested
  // In parallel: otherwise a long job would use up the time that connections have to finish.
  await Promise.all([server, further, jobs].map((each) => each?.[Symbol.asyncDispose]()))
}

/** After the first requests, because to find the sandbox of decoders starts ten programs. An upload does not wait for it. */
function warmUpSoon(app: App): Disposable {
  const warmUp = () =>
    app.imaging
      .warmUp()
      .then(() => logMissingLayers(app))
      .catch(({ message, cause }) => app.log.error({ error: message, cause: String(cause) }, noDecoder))
  const timer = setTimeout(warmUp, 200)
  return { [Symbol.dispose]: () => clearTimeout(timer) }
}

/** In the background: the site can be used at once, and its pictures come within seconds. */
function fillSoon(app: App, { id, username }: Demo): AsyncDisposable {
  const stop = new AbortController()
  const filling = { spoolFolder: spoolFolderOf(app), signal: stop.signal }
  const filled = fillDemo(app.control, id, username, filling).catch((error) => {
    if (!stop.signal.aborted) app.log.warn({ error: String(error) }, 'The demo site could not be filled')
  })
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await filled
    },
  }
}

/** Once, at the start: which sandbox layers the machine offers does not change while it runs. */
async function logMissingLayers(app: App): Promise<void> {
  const { missing } = await app.imaging.confinement()
  if (missing.length > 0) app.log.warn({ missing: missing.map((layer) => layerTexts[layer]) }, missingLayers)
}

const missingLayers =
  'This machine does not allow every sandbox layer for decoders. Run terrace doctor for details'
const noDecoder = 'Decoders do not start: uploads are refused until they do'

/** If FFMPEG_PATH names a program, it must work. Without the setting, FFmpeg is optional. */
async function checkFfmpeg({ ffmpeg }: Config): Promise<void> {
  if (ffmpeg.named === undefined) return
  await findFfmpeg(ffmpeg).catch((refusal) => Promise.reject(new UsageFault([refusal.message])))
}

function lockDataFolder(dataDir: string): Disposable {
  const lock = lockFolder(dataDir)
  if (!lock) {
    throw new Refusal(
      'conflict',
      'folder-held',
      `Another server runs on the data folder ${dataDir}. Stop it, or set SERVICE_DATA_DIR to another folder.`,
    )
  }
  return lock
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
  ENOTSUP: 'cannot be shared by processes on this system: set SERVICE_PROCESSES to 1',
}

function cannotListen(config: Config, error: NodeJS.ErrnoException & { port?: number }): Error {
  const fault = listenFaults[error.code ?? '']
  if (fault === undefined) return error
  const isInternal = error.port === config.internalPort && error.port !== config.listen.port
  const [setting, address] = isInternal
    ? ['SERVICE_INTERNAL_PORT', `127.0.0.1:${config.internalPort}`]
    : ['SERVICE_LISTEN or PORT', `${config.listen.host}:${config.listen.port}`]
  return new Refusal('unavailable', 'cannot-listen', `${setting}: ${address} ${fault}.`)
}
