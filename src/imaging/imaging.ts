import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { Child } from './child.ts'
import { type Confinement, findConfinement } from './confinement.ts'
import { decoderBusy, decoderUnavailable } from './errors.ts'
import type { Examined, Job, Misbehaviour } from './job.ts'
import type { MetadataPolicy } from './kinds/kind.ts'
import { TurnQueue } from './turn-queue.ts'

export interface ImagingOptions {
  /** How many pictures are decoded at once; as many as there are cores by default. */
  children?: number
  /** How many may wait, all shares together. */
  maxWaiting?: number
  maxSeconds?: number
  maxMemoryBytes?: number
  maxFrames?: number
  /** A child ends after so many jobs, or when it holds more memory than it should afterwards. */
  jobsPerChild?: number
  maxIdleBytes?: number
  /** Lets `misbehave` in a request make a child fail; for tests. */
  mayMisbehave?: boolean
}

export interface ExamineRequest {
  /** Whose turn it takes: those who wait are served in turn by this word. */
  share: string
  /** An existing, empty folder. After a refusal it may hold half a file. */
  outputFolder: string
  policy: MetadataPolicy
  /** All frames together; 0 for no limit. */
  maxPixels?: number
  allowSvg?: boolean
  /** Makes the file itself narrower. Never enlarges, and leaves animations and drawings as they are. */
  width?: number | undefined
  /** Leaves the line; a job that has begun goes on. */
  signal?: AbortSignal
  misbehave?: Misbehaviour
}

/** Decoders in child processes that start when they are needed and stay; one that fails takes only its own job along. */
export interface Imaging extends AsyncDisposable {
  /** Does everything that needs a decoder for one local file, in a child process. */
  examine(path: string, request: ExamineRequest): Promise<Examined>
  /** What keeps the children in on this machine. */
  confinement(): Promise<Confinement>
  /** Process ids of the children that run now. */
  readonly pids: number[]
  readonly waiting: number
}

const DEFAULTS = {
  maxWaiting: 32,
  maxSeconds: 10,
  maxMemoryBytes: 1_073_741_824,
  maxFrames: 1000,
  jobsPerChild: 500,
  maxIdleBytes: 419_430_400,
  mayMisbehave: false,
}
const DEFAULT_MAX_PIXELS = 100_000_000

interface Ticket extends PromiseWithResolvers<Examined> {
  job: Job
}

export function startImaging(options: ImagingOptions = {}): Imaging {
  return new Decoders({ children: availableParallelism(), ...DEFAULTS, ...options })
}

class Decoders implements Imaging {
  readonly #settings: Required<ImagingOptions>
  readonly #line: TurnQueue<Ticket>
  readonly #children = new Set<Child>()
  readonly #idle: Child[] = []
  readonly #work = new Set<Promise<void>>()
  #confinement: Promise<Confinement> | undefined
  #isClosed = false

  constructor(settings: Required<ImagingOptions>) {
    this.#settings = settings
    this.#line = new TurnQueue(settings.maxWaiting)
  }

  get pids(): number[] {
    return [...this.#children].flatMap(({ pid, hasEnded }) => (pid === undefined || hasEnded ? [] : [pid]))
  }

  get waiting(): number {
    return this.#line.size
  }

  confinement(): Promise<Confinement> {
    this.#confinement ??= findConfinement(this.#settings.maxMemoryBytes)
    return this.#confinement
  }

  async examine(path: string, request: ExamineRequest): Promise<Examined> {
    if (this.#isClosed) throw decoderUnavailable('the server is closing')
    const { share, signal } = request
    signal?.throwIfAborted()
    const ticket = { job: jobOf(path, request, this.#settings), ...Promise.withResolvers<Examined>() }
    const leave = () => this.#line.remove(share, ticket) && ticket.reject(signal?.reason)
    signal?.addEventListener('abort', leave, { once: true })
    this.#line.push(share, ticket)?.reject(decoderBusy())
    this.#serveNext()
    try {
      return await ticket.promise
    } finally {
      signal?.removeEventListener('abort', leave)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    for (let ticket = this.#line.take(); ticket !== undefined; ticket = this.#line.take()) {
      ticket.reject(decoderUnavailable('the server is closing'))
    }
    await Promise.all([...this.#children].map((child) => child.kill()))
    await Promise.all(this.#work)
  }

  #serveNext(): void {
    while (!this.#isClosed && this.#work.size < this.#settings.children) {
      const ticket = this.#line.take()
      if (ticket === undefined) return
      const work = this.#serve(ticket).finally(() => {
        this.#work.delete(work)
        this.#serveNext()
      })
      this.#work.add(work)
    }
  }

  async #serve({ job, resolve, reject }: Ticket): Promise<void> {
    try {
      const child = await this.#takeChild()
      try {
        resolve(await child.run(job))
      } finally {
        await this.#giveBack(child)
      }
    } catch (error) {
      reject(error)
    }
  }

  async #takeChild(): Promise<Child> {
    for (let child = this.#idle.pop(); child !== undefined; child = this.#idle.pop()) {
      if (!child.hasEnded) return child
      this.#children.delete(child)
    }
    const child = await Child.start({ ...this.#settings, confinement: await this.confinement() })
    this.#children.add(child)
    if (!this.#isClosed) return child
    await child.kill()
    throw decoderUnavailable('the server is closing')
  }

  async #giveBack(child: Child): Promise<void> {
    const { jobsPerChild, maxIdleBytes } = this.#settings
    const isWorn = child.hasEnded || child.jobs >= jobsPerChild || child.rssBytes > maxIdleBytes
    if (!isWorn && !this.#isClosed) {
      this.#idle.push(child)
      return
    }
    this.#children.delete(child)
    await child.kill()
  }
}

function jobOf(path: string, request: ExamineRequest, { maxFrames }: Required<ImagingOptions>): Job {
  const { policy, allowSvg = false, width, misbehave } = request
  const maxPixels = request.maxPixels ?? DEFAULT_MAX_PIXELS
  return {
    // A child works in another folder.
    path: resolve(path),
    outputFolder: resolve(request.outputFolder),
    ...{ policy, allowSvg, width, misbehave, maxFrames },
    maxPixels: maxPixels === 0 ? Number.MAX_SAFE_INTEGER : maxPixels,
  }
}
