import type { App } from '../app.ts'
import type { Config, Environment } from '../config.ts'
import type { Sheet } from './sheet.ts'
import { UsageFault } from './usage-fault.ts'

/** What a command works with: where it writes, and the installation, which is opened only when it is needed. */
export interface Session {
  readonly out: Sheet
  readonly err: Sheet
  /** The command's result: JSON for programs that ask for it, else a text for people. */
  answer(json: unknown, people: () => string): void
  /** The same for a list; people are told on standard error that it is empty. */
  answerList(json: readonly unknown[], people: () => string, options: { ifEmpty: string }): void
  /** What is good to know, and no part of the result. */
  note(text: string): void
  readConfig(): Promise<Config>
  openApp(config?: Config): Promise<App>
}

interface SessionOptions {
  out: Sheet
  err: Sheet
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
  const answer = (json: unknown, people: () => string) =>
    out.print(isJson ? JSON.stringify(json, null, 2) : people())
  const note = (text: string) => {
    if (!isJson) err.print(err.paint('dim', text))
  }
  return {
    out,
    err,
    answer,
    answerList: (json, people, { ifEmpty }) =>
      isJson || json.length > 0 ? answer(json, people) : note(ifEmpty),
    note,
    readConfig,
    async openApp(config) {
      const settings = config ?? (await readConfig())
      const { openApp } = await import('../app.ts')
      return openApp(settings)
    },
  }
}
