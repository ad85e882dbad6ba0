import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { PRODUCTION_FLAGS } from '../../boot.mjs'
import { runTool } from '../../src/cli/index.ts'
import type { StoreKind } from './harness.ts'
import { freePort } from './harness.ts'
import { dropDatabase, freshDatabaseUrl } from './stores/postgres.ts'

const main = fileURLToPath(new URL('../../build/main.js', import.meta.url))

export interface Ran {
  code: number | null
  out: string
  err: string
}

export type Settings = Record<string, string>

/** A data folder (and database) for one installation, and the tool to run on it. */
export interface Installation extends AsyncDisposable {
  dataDir: string
  settings: Settings
  /** Runs the tool in a process of its own, as users do. */
  bin(...args: string[]): Promise<Ran>
  /** Runs the tool in this process with captured output, which takes a tenth of the time. */
  run(...args: string[]): Promise<Ran>
  /** Like `run`, with `--json`: returns the parsed result and throws unless the exit code is 0. */
  json(...args: string[]): Promise<any>
  start(args: readonly string[], settings?: Settings): ChildProcess
  serve(settings?: Settings): Promise<Served>
}

export interface Served extends AsyncDisposable {
  /** The output up to the line that says the server is up. */
  text: string
  port: number
  process: ChildProcess
  /** Sends the signal, if one is given, and resolves to the exit code. */
  ended(signal?: NodeJS.Signals): Promise<number | null>
}

export async function freshInstallation(
  store: StoreKind = 'sqlite',
  more: Settings = {},
): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-tool-'))
  const databaseUrl = store === 'postgres' ? await freshDatabaseUrl() : undefined
  const dataDir = join(folder, 'data')
  const settings: Settings = {
    SERVICE_DATA_DIR: dataDir,
    ...(databaseUrl === undefined ? {} : { SERVICE_DATABASE_URL: databaseUrl }),
    ...more,
  }
  const start = (args: readonly string[], extra: Settings = {}) => startTool(args, { ...settings, ...extra })
  const run = (...args: string[]) => runHere(args, settings)
  return {
    dataDir,
    settings,
    bin: (...args) => ranOf(start(args)),
    run,
    async json(...args) {
      const { code, out, err } = await run(...args, '--json')
      if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${err}`)
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

/** An installation whose tenant `cats` is installed, with these limits. */
export async function installationWithCats(
  store: StoreKind = 'sqlite',
  limits = '{}',
): Promise<Installation> {
  const installation = await freshInstallation(store)
  const ada = ['--username', 'ada', '--email', 'ada@example.com', '--password', 'a long password']
  await installation.json('tenants', 'create', '--id', 'cats', '--hostname', 'cats.test', '--limits', limits)
  await installation.json('tenants', 'install', '--id', 'cats', ...ada)
  return installation
}

/** The tool ends with 1, prints nothing but an error, and the error contains this text. */
export async function refused({ run }: Installation, words: string[], says: string): Promise<void> {
  const { code, out, err } = await run(...words)
  assert.deepEqual([code, out], [1, ''])
  assert.ok(err.includes(says), `"${says}" in ${err}`)
}

/** Runs commands on the site `cats` of an installation: `run` as is, `json` with `--json` and exit code 0. */
export function toolOfCats(environment: Settings) {
  const run = (...words: string[]) => runHere(['site', '--tenant', 'cats', ...words], environment)
  const json = async (...words: string[]) => {
    const { code, out, err } = await run(...words, '--json')
    assert.equal(code, 0, err)
    return JSON.parse(out)
  }
  return { run, json }
}

/** The child gets no environment of ours but PATH. */
export function startTool(args: readonly string[], settings: Settings = {}): ChildProcess {
  // Of one process unless the test asks for more, or the run does with TEST_PROCESSES.
  const processes = process.env.TEST_PROCESSES ?? '1'
  const environment = { PATH: process.env.PATH ?? '', SERVICE_PROCESSES: processes, ...settings }
  return spawn(process.execPath, [...PRODUCTION_FLAGS, main, ...args], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Runs the tool in this process; as at a terminal of that width if `columns` is given. */
export async function runHere(
  args: readonly string[],
  environment: Settings,
  { columns, input = '' }: { columns?: number | undefined; input?: string } = {},
): Promise<Ran> {
  const printed = { out: '', err: '' }
  const terminal = columns === undefined ? {} : { isTTY: true, columns, hasColors: () => true }
  const stream = (name: 'out' | 'err') => ({
    ...terminal,
    write(chunk: unknown, done?: unknown) {
      printed[name] += chunk
      if (typeof done === 'function') done()
      return true
    },
  })
  const code = await runTool({
    args,
    environment,
    workingFolder: '/',
    input: Readable.from([input]),
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
      // The last line of either start message contains the address.
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
