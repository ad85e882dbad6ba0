import type { App } from '../app.ts'
import type { Config, Environment } from '../config.ts'
import type { Processes } from '../lib/processes/processes.ts'
import type { Terminal } from './terminal/terminal.ts'
import { UsageFault } from './terminal/usage-fault.ts'

/** What a command gets: the two output streams, and the installation, which is opened only on demand. */
export interface Session {
  readonly out: Terminal
  readonly err: Terminal
  /** Whether programs read the result. */
  readonly isJson: boolean
  /** Of this process, for those that it starts. */
  readonly environment: Environment
  /** Prints the result on standard output: JSON with `--json`, else the text. */
  answer(json: unknown, text: () => string): void
  /** Prints a list as the result; if it is empty, prints `ifEmpty` on standard error instead. */
  answerList(json: readonly unknown[], text: () => string, options: { ifEmpty: string }): void
  /** Prints a hint on standard error. It is not part of the result, so `--json` omits it. */
  note(text: string): void
  /** Prints on standard error what the operator should change. */
  warn(text: string): void
  readConfig(): Promise<Config>
  openApp(config?: Config, processes?: Processes): Promise<App>
}

interface SessionOptions {
  out: Terminal
  err: Terminal
  isJson: boolean
  environment: Environment
  workingFolder: string
}

export function sessionOf({ out, err, isJson, environment, workingFolder }: SessionOptions): Session {
  const readConfig = async () => {
    const { ConfigFaults, readConfig } = await import('../config.ts')
    try {
      return readConfig(environment, workingFolder)
    } catch (error) {
      throw error instanceof ConfigFaults ? new UsageFault(error.list) : error
    }
  }
  const answer = (json: unknown, text: () => string) =>
    out.print(isJson ? JSON.stringify(json, null, 2) : text())
  const note = (text: string) => {
    if (!isJson) err.print(err.paint('dim', text))
  }
  return {
    out,
    err,
    isJson,
    environment,
    answer,
    answerList: (json, text, { ifEmpty }) => (isJson || json.length > 0 ? answer(json, text) : note(ifEmpty)),
    note,
    warn: (text) => err.print(err.paint(['bold', 'yellow'], `WARNING: ${text}`)),
    readConfig,
    async openApp(config, processes) {
      const settings = config ?? (await readConfig())
      const { openApp } = await import('../app.ts')
      const app = await openApp(settings, undefined, { ...(processes && { processes }) })
      return config === undefined ? byTool(await withPublicAddress(app, environment)) : app
    },
  }
}

/** What a command changes is recorded in the name of the tool. The server passes its config, and names its callers itself. */
async function byTool(app: App): Promise<App> {
  const { actingAs } = await import('../control/index.ts')
  return { ...app, control: actingAs(app.control, { kind: 'tool' }) }
}

/** The tool prints addresses of visitors, which the server has recorded, unless the tool's own environment sets them. */
async function withPublicAddress(app: App, environment: Environment): Promise<App> {
  const { config, control } = app
  const { recordedPublicAddress } = await import('../control/index.ts')
  const recorded = await recordedPublicAddress(control)
  if (!recorded) return app
  const { scheme, port, consoleHostname } = recorded
  const isAddressSet = config.publicScheme !== undefined || config.publicPort !== undefined
  const isHostSet = consoleSettings.some((name) => environment[name] !== undefined)
  return {
    ...app,
    config: {
      ...config,
      ...(!isAddressSet && { publicScheme: scheme, publicPort: port }),
      ...(!isHostSet && consoleHostname && { console: { ...config.console, hostname: consoleHostname } }),
    },
  }
}

/** Either decides the hostname of the console. */
const consoleSettings = ['SERVICE_CONSOLE_HOSTNAME', 'SERVICE_HOSTNAME']
