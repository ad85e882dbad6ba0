import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { PRODUCTION_ENVIRONMENT, PRODUCTION_FLAGS } from '../boot.mjs'
import { runTool } from '../src/cli/index.ts'
import type { StoreKind } from './harness.ts'
import { freePort } from './harness.ts'
import { dropDatabase, freshDatabaseUrl } from './postgres.ts'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))

export interface Ran {
  code: number | null
  out: string
  err: string
}

export type Settings = Record<string, string>

/** A place for one installation, and the tool to work on it. */
export interface Place extends AsyncDisposable {
  dataDir: string
  settings: Settings
  /** The tool as a program of its own, as people run it. */
  bin(...words: string[]): Promise<Ran>
  /** The same in this process, its output on pipes: a tenth of the time. */
  run(...words: string[]): Promise<Ran>
  /** The last one with `--json`: what was printed, read; anything but success is thrown. */
  json(...words: string[]): Promise<any>
  start(words: readonly string[], settings?: Settings): ChildProcess
  serve(settings?: Settings): Promise<Served>
}

export interface Served extends AsyncDisposable {
  /** What was printed until it was up. */
  text: string
  port: number
  process: ChildProcess
  /** The exit code; asks it to stop when told how. */
  ended(signal?: NodeJS.Signals): Promise<number | null>
}

export async function freshPlace(store: StoreKind = 'sqlite', more: Settings = {}): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-tool-'))
  const databaseUrl = store === 'postgres' ? await freshDatabaseUrl() : undefined
  const dataDir = join(folder, 'data')
  const settings: Settings = {
    SERVICE_DATA_DIR: dataDir,
    ...(databaseUrl === undefined ? {} : { SERVICE_DATABASE_URL: databaseUrl }),
    ...more,
  }
  const start = (words: readonly string[], extra: Settings = {}) =>
    startTool(words, { ...settings, ...extra })
  const run = (...words: string[]) => runHere(words, settings)
  return {
    dataDir,
    settings,
    bin: (...words) => ranOf(start(words)),
    run,
    async json(...words) {
      const { code, out, err } = await run(...words, '--json')
      if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${err}`)
      return JSON.parse(out)
    },
    start,
    serve: async (extra) => servedOf(start(['serve'], { PORT: String(await freePort()), ...extra })),
    async [Symbol.asyncDispose]() {
      if (databaseUrl !== undefined) await dropDatabase(databaseUrl)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Nothing of our own environment reaches it but where programs are. */
export function startTool(words: readonly string[], settings: Settings = {}): ChildProcess {
  const environment = { PATH: process.env.PATH ?? '', ...PRODUCTION_ENVIRONMENT, ...settings }
  return spawn(process.execPath, [...PRODUCTION_FLAGS, main, ...words], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** The tool without a process of its own; at a terminal when it is told how wide that is. */
export async function runHere(
  words: readonly string[],
  environment: Settings,
  columns?: number,
): Promise<Ran> {
  const printed = { out: '', err: '' }
  const terminal = columns === undefined ? {} : { isTTY: true, columns, hasColors: () => true }
  const stream = (name: 'out' | 'err') => ({
    ...terminal,
    write(chunk: unknown) {
      printed[name] += chunk
      return true
    },
  })
  const code = await runTool({
    words,
    environment,
    workingFolder: '/',
    out: stream('out'),
    err: stream('err'),
  })
  return { code, ...printed }
}

export async function ranOf(child: ChildProcess): Promise<Ran> {
  const [out, err, [code]] = await Promise.all([
    text(child.stdout as NonNullable<ChildProcess['stdout']>),
    text(child.stderr as NonNullable<ChildProcess['stderr']>),
    once(child, 'close'),
  ])
  return { code, out, err }
}

async function servedOf(child: ChildProcess): Promise<Served> {
  let printed = ''
  const closed = once(child, 'close')
  const isUp = Promise.withResolvers<void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk
      // The last line of either greeting holds the address.
      if (/Terrace is up at .*\n|\n {2}curl .*\n/.test(printed)) isUp.resolve()
    })
  }
  await Promise.race([
    isUp.promise,
    closed.then(() => Promise.reject(new Error(`It did not start: ${printed}`))),
  ])
  const ended = async (signal?: NodeJS.Signals) => {
    if (signal) child.kill(signal)
    return (await closed)[0]
  }
  return {
    text: printed,
    port: Number(/http:\/\/[\w.-]+:(\d+)/.exec(printed)?.[1]),
    process: child,
    ended,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) await ended('SIGKILL')
    },
  }
}
