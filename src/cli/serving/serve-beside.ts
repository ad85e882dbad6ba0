import type { Environment } from '../../config.ts'
import type { Channel } from '../../lib/processes/peer.ts'
import { Processes } from '../../lib/processes/processes.ts'
import { watchStopSignals } from '../terminal/stop-signals.ts'

interface Beside {
  environment: Environment
  workingFolder: string
  /** The first process, which has started this one. */
  first: Channel
  /** How many processes the server has. */
  count: number
  /** The port on which the first process listens. */
  port: number
}

/** Serves requests beside the first process of a server, until a signal asks it to stop or the first process ends. */
export async function serveBeside({ environment, workingFolder, first, count, port }: Beside): Promise<void> {
  using stop = watchStopSignals()
  const { readConfig } = await import('../../config.ts')
  const { openApp } = await import('../../app.ts')
  const { startServer } = await import('../../doors.ts')
  const { systemClock } = await import('../../lib/clock.ts')
  const processes = new Processes(count, first)
  const { listen, ...config } = readConfig(environment, workingFolder)
  const own = { ...config, listen: { ...listen, port }, internalPort: undefined }
  await using app = await openApp(own, systemClock, { processes })
  await using _server = await startServer(app)
  await Promise.race([stop.requested, endOf(processes)])
}

/** Nothing starts this process again without the first one, and a new server needs its port. */
const endOf = ({ first }: Processes): Promise<void> =>
  new Promise((resolve) => {
    if (!first || first.ended.aborted) resolve()
    else first.ended.addEventListener('abort', () => resolve(), { once: true })
  })
