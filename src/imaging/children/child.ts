import { type ChildProcess, spawn } from 'node:child_process'
import { relative } from 'node:path'
import type { Refusal } from '../../lib/refusal.ts'
import {
  clientDisconnected,
  decoderKilled,
  decoderOverloaded,
  decoderUnavailable,
  notDecodable,
  outOfMemory,
  outOfTime,
} from '../errors.ts'
import type { Confinement } from '../sandbox/confinement.ts'
import type { Job, Message, Outcomes } from './job.ts'
import { readAnswer } from './read-answer.ts'
import {
  type ExceededLimit,
  isKilledFromOutside,
  type ProcessLimits,
  residentBytes,
  watchProcess,
} from './watch-process.ts'
import type { WorkFolder } from './work-folder.ts'

const START_SECONDS = 60
/** Starting a child costs more CPU than most pictures, so a job that is nearly done may finish after its caller has left. */
const ABANDON_MS = 1_000
const HEAP_MEGABYTES = 256
export const WORKER_FLAGS = [
  `--max-old-space-size=${HEAP_MEGABYTES}`,
  // Delays garbage collection: 2 to 4 % less CPU for a JPEG of 12 megapixels or 1280 pixels (arm64), and up to 50 MB more memory.
  '--initial-old-space-size=64',
  '--disable-warning=ExperimentalWarning',
]

/** The server's environment contains secrets, so none of it is passed on. Node fails to start if OpenSSL's configuration cannot be opened. */
export const WORKER_ENVIRONMENT = {
  VIPS_BLOCK_UNTRUSTED: '1',
  // glibc: 10 to 25 MB less memory for each decoder, at the same CPU (arm64).
  MALLOC_ARENA_MAX: '2',
  OPENSSL_CONF: '/dev/null',
}

/** What one job may use. */
export interface JobLimits {
  /** CPU time. */
  maxSeconds: number
  /** Wall-clock time. */
  maxWallSeconds: number
  maxMemoryBytes: number
}

export interface ChildOptions extends JobLimits {
  confinement: Confinement
  folder: WorkFolder
  environment: Readonly<Record<string, string>>
  /** The module that the process runs. */
  worker: string
}

/** A decoder process, which does one job at a time. */
export class Child {
  readonly #process: ChildProcess
  readonly #options: ChildOptions
  readonly #ended = Promise.withResolvers<void>()
  /** Resolves when the process can take a job. */
  readonly ready: Promise<void>
  #answer: PromiseWithResolvers<Message> | undefined
  /** The reason why we killed it. */
  #stopped: Refusal | undefined
  #isGone = false
  /** Killed by the kernel or an operator, and not by us. */
  #isKilled = false
  #jobs = 0

  constructor(options: ChildOptions) {
    this.#options = options
    this.#process = spawnWorker(options)
    const errors = collectErrors(this.#process)
    this.#process.on('message', (message: Message) => {
      this.#answer?.resolve(message)
      this.#answer = undefined
    })
    this.#process.once('error', (error) => this.#end(error.message, null))
    this.#process.once('exit', (code, signal) =>
      this.#end(`it ended with ${signal ?? code}. ${errors.text}`, signal),
    )
    this.ready = this.#start()
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  get jobs(): number {
    return this.#jobs
  }

  get residentBytes(): number {
    return residentBytes(this.pid)
  }

  /** Ended, or killed by us and about to end. */
  get hasEnded(): boolean {
    return this.#isGone || this.#stopped !== undefined
  }

  /** Settles when the child no longer uses the job's files. */
  async run<J extends Job>(job: J, jobLimits: Partial<JobLimits> = {}): Promise<Outcomes[J['task']]> {
    this.#jobs++
    this.#setIdle(false)
    const { maxSeconds: maxCpuSeconds, ...other } = { ...this.#options, ...jobLimits }
    const limits = { maxCpuSeconds, ...other }
    const answer = this.#nextMessage(limits, (exceeded) => refusalOf(exceeded, limits))
    // If sending fails, the process ends, and its end rejects the answer.
    this.#process.send(withRelativePaths(this.#options.folder.path, job), () => {})
    const message = await answer
    this.#setIdle(true)
    return readAnswer(job, message)
  }

  /** The caller has left: stops the job unless it is done soon. */
  abandon(): void {
    const jobs = this.#jobs
    setTimeout(() => {
      if (this.#answer && this.#jobs === jobs) this.#stop(clientDisconnected())
    }, ABANDON_MS).unref()
  }

  get folder(): WorkFolder {
    return this.#options.folder
  }

  async kill(): Promise<void> {
    this.#setIdle(false)
    this.#stop(decoderUnavailable('the decoder was ended'))
    await this.#ended.promise
  }

  async #start(): Promise<void> {
    const { maxMemoryBytes } = this.#options
    const limits = { maxMemoryBytes, maxCpuSeconds: START_SECONDS, maxWallSeconds: START_SECONDS }
    await this.#nextMessage(limits, (exceeded) =>
      decoderUnavailable(`a starting child exceeded its ${exceeded} limit`),
    )
    this.#process.stderr?.destroy()
    this.#setIdle(true)
  }

  async #nextMessage(
    limits: ProcessLimits,
    refusalFor: (exceeded: ExceededLimit) => Refusal,
  ): Promise<Message> {
    // It ended between two steps of a job: because of the file it read, or because it was killed.
    if (this.#isGone) throw this.#stopped ?? this.#refusalOfEnd('the child has ended')
    const answer = Promise.withResolvers<Message>()
    this.#answer = answer
    using _watch = watchProcess(this.pid, limits, (exceeded) => this.#stop(refusalFor(exceeded)))
    return await answer.promise
  }

  #stop(reason: Refusal): void {
    this.#stopped ??= reason
    this.#process.kill('SIGKILL')
  }

  #end(cause: string, signal: NodeJS.Signals | null): void {
    this.#isGone = true
    this.#isKilled = this.#stopped === undefined && isKilledFromOutside(signal)
    this.#answer?.reject(this.#stopped ?? this.#refusalOfEnd(cause))
    this.#answer = undefined
    this.#ended.resolve()
  }

  #refusalOfEnd(cause: string): Refusal {
    if (this.#isKilled) return decoderKilled(cause)
    return this.#jobs === 0 ? decoderUnavailable(cause) : notDecodable(cause)
  }

  /** An idle child must not keep the server's event loop alive. */
  #setIdle(isIdle: boolean): void {
    const change = isIdle ? 'unref' : 'ref'
    this.#process[change]()
    this.#process.channel?.[change]()
  }
}

function refusalOf(exceeded: ExceededLimit, limits: ProcessLimits): Refusal {
  switch (exceeded) {
    case 'memory':
      return outOfMemory(`more than ${limits.maxMemoryBytes} bytes`)
    case 'cpu':
      return outOfTime(limits.maxCpuSeconds)
    case 'wall':
      return decoderOverloaded(limits.maxWallSeconds)
  }
}

function spawnWorker({ confinement, worker, folder, environment }: ChildOptions): ChildProcess {
  const command = [...confinement.prefix, process.execPath, ...WORKER_FLAGS, worker]
  const [program = process.execPath, ...args] = command
  return spawn(program, args, {
    cwd: folder.path,
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
}

/** Paths relative to the child's folder, because the child may have no access to the folders above. */
function withRelativePaths(folder: string, job: Job): Job {
  const paths = Object.entries(job).filter(([name]) => PATHS.has(name))
  const relatives = paths.flatMap(([name, path]) =>
    path === undefined ? [] : [[name, relative(folder, path)]],
  )
  return { ...job, ...Object.fromEntries(relatives) }
}

const PATHS: ReadonlySet<string> = new Set(['path', 'outputFolder', 'framePath'])

/** Standard error until the child is ready, for the log; later it has only the libraries' messages about files. */
function collectErrors({ stderr }: ChildProcess): { text: string } {
  const errors = { text: '' }
  stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors.text = (errors.text + text).slice(-2000)
  })
  return errors
}
