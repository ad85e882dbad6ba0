import { type ChildProcess, spawn } from 'node:child_process'
import { getCompileCacheDir } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Refusal } from '../lib/refusal.ts'
import type { Confinement } from './confinement.ts'
import { decoderUnavailable, notDecodable, outOfMemory, outOfTime } from './errors.ts'
import type { Job, Message, Outcome, Outcomes } from './job.ts'
import { residentBytes } from './resident-bytes.ts'

const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url))
const START_SECONDS = 20
const LOOK_EVERY_MS = 200
const HEAP_MEGABYTES = 256
/** Nobody waits for a child's collector, so it need not have threads, nor begin while there is little to collect. */
const COLLECTOR = ['--single-threaded-gc', '--initial-old-space-size=64']

/** Nothing of the server's environment, where secrets are. */
const ENVIRONMENT = { VIPS_BLOCK_UNTRUSTED: '1', MALLOC_ARENA_MAX: '2' }

export interface ChildOptions {
  confinement: Confinement
  maxSeconds: number
  maxMemoryBytes: number
  mayMisbehave: boolean
}

/** One process that decodes, one job at a time. */
export class Child {
  readonly #process: ChildProcess
  readonly #options: ChildOptions
  readonly #ended = Promise.withResolvers<void>()
  /** Settles when it can take a job; it can be killed before. */
  readonly ready: Promise<void>
  #answer: PromiseWithResolvers<Message> | undefined
  /** Why it was told to stop. */
  #stopped: Refusal | undefined
  #isGone = false
  #jobs = 0
  #rssBytes = 0

  constructor(options: ChildOptions) {
    this.#options = options
    this.#process = spawnWorker(options)
    const complaints = hearComplaints(this.#process)
    this.#process.on('message', (message: Message) => {
      this.#answer?.resolve(message)
      this.#answer = undefined
    })
    this.#process.once('error', (error) => this.#end(error.message))
    this.#process.once('exit', (code, signal) =>
      this.#end(`it ended with ${signal ?? code}. ${complaints.text}`),
    )
    this.ready = this.#start()
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  get jobs(): number {
    return this.#jobs
  }

  /** What it held after its last job. */
  get rssBytes(): number {
    return this.#rssBytes
  }

  /** Ended, or about to: one that was told to stop takes a moment. */
  get hasEnded(): boolean {
    return this.#isGone || this.#stopped !== undefined
  }

  /** Settles only when the child has stopped touching the job's files. */
  async run<J extends Job>(job: J, maxSeconds = this.#options.maxSeconds): Promise<Outcomes[J['task']]> {
    this.#jobs++
    this.#setIdle(false)
    const answer = this.#nextMessage(maxSeconds, () => outOfTime(maxSeconds))
    // A failure to send is followed by the child's end, which settles the answer.
    this.#process.send(job, () => {})
    const message = await answer
    this.#setIdle(true)
    if ('rssBytes' in message) this.#rssBytes = message.rssBytes
    // A child answers what it was asked.
    return readAnswer(message) as Outcomes[J['task']]
  }

  async kill(): Promise<void> {
    this.#setIdle(false)
    this.#process.kill('SIGKILL')
    await this.#ended.promise
  }

  async #start(): Promise<void> {
    await this.#nextMessage(START_SECONDS, () => decoderUnavailable('the child does not get ready'))
    this.#process.stderr?.destroy()
    this.#setIdle(true)
  }

  async #nextMessage(seconds: number, late: () => Refusal): Promise<Message> {
    // One that ends between the steps of a job does so because of what it has read.
    if (this.#isGone) throw this.#faultOfEnd('the child has ended')
    const answer = Promise.withResolvers<Message>()
    this.#answer = answer
    const clock = setTimeout(() => this.#stop(late()), seconds * 1000)
    const look = setInterval(() => this.#checkMemory(), LOOK_EVERY_MS)
    try {
      return await answer.promise
    } finally {
      clearTimeout(clock)
      clearInterval(look)
    }
  }

  #checkMemory(): void {
    const rssBytes = residentBytes(this.pid)
    if (rssBytes > this.#options.maxMemoryBytes) this.#stop(outOfMemory(`${rssBytes} bytes`))
  }

  #stop(why: Refusal): void {
    this.#stopped ??= why
    this.#process.kill('SIGKILL')
  }

  #end(cause: string): void {
    this.#isGone = true
    this.#answer?.reject(this.#stopped ?? this.#faultOfEnd(cause))
    this.#answer = undefined
    this.#ended.resolve()
  }

  #faultOfEnd(cause: string): Refusal {
    return this.#jobs === 0 ? decoderUnavailable(cause) : notDecodable(cause)
  }

  /** A waiting child must not keep a finished program alive. */
  #setIdle(isIdle: boolean): void {
    const change = isIdle ? 'unref' : 'ref'
    this.#process[change]()
    this.#process.channel?.[change]()
  }
}

function spawnWorker({ confinement, mayMisbehave }: ChildOptions): ChildProcess {
  const flags = [
    `--max-old-space-size=${HEAP_MEGABYTES}`,
    ...COLLECTOR,
    '--disable-warning=ExperimentalWarning',
  ]
  const command = [...confinement.prefix, process.execPath, ...flags, WORKER]
  const [program = process.execPath, ...words] = mayMisbehave ? [...command, '--misbehave'] : command
  const env = { ...ENVIRONMENT, ...compileCache() }
  return spawn(program, words, { cwd: '/', env, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
}

/** What one child has compiled, the next need not. The server itself never reads what they leave. */
function compileCache(): { NODE_COMPILE_CACHE?: string } {
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: join(folder, 'decoders') }
}

/** Why a child does not even start, for the log; later it only says what it thinks of files. */
function hearComplaints({ stderr }: ChildProcess): { text: string } {
  const heard = { text: '' }
  stderr?.setEncoding('utf8').on('data', (text: string) => {
    heard.text = (heard.text + text).slice(-2000)
  })
  return heard
}

function readAnswer(message: Message): Outcome {
  switch (message.type) {
    case 'done':
      return message.outcome
    case 'refused':
      throw new Refusal(message.kind, message.code, message.message, { cause: message.cause })
    case 'fault':
      throw Object.assign(new Error(message.message), { code: message.code })
    case 'ready':
      throw new Error('A child answered out of turn.')
  }
}
