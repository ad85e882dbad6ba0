import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { Child } from './child.ts'
import { type Confinement, confineDecoder, confineProgram } from './confinement.ts'
import { decoderBusy, decoderUnavailable } from './errors.ts'
import type { Examined, ExamineJob, Misbehaviour } from './job.ts'
import type { MetadataPolicy } from './kinds/kind.ts'
import { TurnQueue } from './turn-queue.ts'
import { examineVideo } from './videos/examine-video.ts'
import { type FfmpegPlaces, findFfmpeg } from './videos/find-ffmpeg.ts'
import type { FrameTool } from './videos/take-frame.ts'

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
  /** Where to look for the program that takes frames from videos; it is looked for when the first video comes. */
  ffmpeg?: FfmpegPlaces
  /** Told once, when there is none. */
  onNoFfmpeg?: () => void
  maxFrameSeconds?: number
  maxFrameMemoryBytes?: number
  /** Lets `misbehave` in a request make a child fail; for tests. */
  mayMisbehave?: boolean
}

export interface ExamineRequest {
  /** Whose turn it takes: those who wait are served in turn by this word. */
  share: string
  /** An existing folder, which may hold the file itself under a name without extension. After a refusal it may hold half a file more. */
  outputFolder: string
  policy: MetadataPolicy
  /** All frames of a picture together, one frame of a video; 0 for no limit. */
  maxPixels?: number
  allowSvg?: boolean
  /** Makes the file itself narrower. Never enlarges, and leaves animations, videos and drawings as they are. */
  width?: number | undefined
  /** Leaves the line; a job that has begun goes on. */
  signal?: AbortSignal
  misbehave?: Misbehaviour
}

/** Decoders in child processes that start when they are needed and stay; one that fails takes only its own job along. */
export interface Imaging extends AsyncDisposable {
  /** Starts the first one before it is needed, so that nobody waits for it. When it fails, whoever needs one tries again. */
  warmUp(): Promise<void>
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
  // To start one costs as much as several pictures.
  jobsPerChild: 10_000,
  maxIdleBytes: 419_430_400,
  ffmpeg: {},
  onNoFfmpeg: () => undefined,
  maxFrameSeconds: 30,
  maxFrameMemoryBytes: 1_610_612_736,
  mayMisbehave: false,
}
const MAX_FRAME_BYTES = 50_000_000
const DEFAULT_MAX_PIXELS = 100_000_000

interface Ticket extends PromiseWithResolvers<Examined> {
  job: ExamineJob
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
  readonly #closing = new AbortController()
  /** The one that was started before it was needed. */
  #coming: Promise<Child> | undefined
  #confinement: Promise<Confinement> | undefined
  #frames: Promise<FrameTool | undefined> | undefined
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

  async warmUp(): Promise<void> {
    if (this.#coming || this.#children.size > 0) return
    this.#coming = this.#startChild()
    try {
      await this.#coming
    } catch (error) {
      if (!this.#isClosed) throw error
    }
  }

  confinement(): Promise<Confinement> {
    this.#confinement ??= confineDecoder(this.#settings.maxMemoryBytes)
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
    this.#closing.abort(decoderUnavailable('the server is closing'))
    for (let ticket = this.#line.take(); ticket !== undefined; ticket = this.#line.take()) {
      ticket.reject(decoderUnavailable('the server is closing'))
    }
    await Promise.all([...this.#children].map((child) => child.kill()))
    await Promise.all([...this.#work, this.#coming?.catch(() => undefined)])
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
        resolve(await this.#examineWith(child, job))
      } finally {
        await this.#giveBack(child)
      }
    } catch (error) {
      reject(error)
    }
  }

  async #examineWith(child: Child, job: ExamineJob): Promise<Examined> {
    const seen = await child.run(job)
    if (seen.type === 'image') return seen
    // What could not be found may have been mended.
    this.#frames ??= this.#findFrameTool().catch((error) => {
      this.#frames = undefined
      throw error
    })
    const { maxSeconds } = this.#settings
    return examineVideo({ child, frames: await this.#frames, maxSeconds }, job, seen)
  }

  async #findFrameTool(): Promise<FrameTool | undefined> {
    const { ffmpeg: places, onNoFfmpeg, maxFrameSeconds, maxFrameMemoryBytes } = this.#settings
    const ffmpeg = await findFfmpeg(places)
    if (ffmpeg === undefined) {
      onNoFfmpeg()
      return undefined
    }
    const limits = { memoryBytes: maxFrameMemoryBytes, seconds: maxFrameSeconds, fileBytes: MAX_FRAME_BYTES }
    const confinement = await confineProgram(limits)
    const walls = { maxSeconds: maxFrameSeconds, maxMemoryBytes: maxFrameMemoryBytes }
    return { ffmpeg, confinement, ...walls, signal: this.#closing.signal }
  }

  async #takeChild(): Promise<Child> {
    const coming = this.#coming
    this.#coming = undefined
    await coming?.then(
      (child) => this.#idle.push(child),
      () => undefined,
    )
    for (let child = this.#idle.pop(); child !== undefined; child = this.#idle.pop()) {
      if (!child.hasEnded) return child
      this.#children.delete(child)
    }
    return this.#startChild()
  }

  async #startChild(): Promise<Child> {
    const confinement = await this.confinement()
    if (this.#isClosed) throw decoderUnavailable('the server is closing')
    const child = new Child({ ...this.#settings, confinement })
    this.#children.add(child)
    try {
      await child.ready
      return child
    } catch (error) {
      this.#children.delete(child)
      throw error
    }
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

function jobOf(path: string, request: ExamineRequest, { maxFrames }: Required<ImagingOptions>): ExamineJob {
  const { policy, allowSvg = false, width, misbehave } = request
  const maxPixels = request.maxPixels ?? DEFAULT_MAX_PIXELS
  return {
    // A child works in another folder.
    path: resolve(path),
    outputFolder: resolve(request.outputFolder),
    task: 'examine',
    ...{ policy, allowSvg, width, misbehave, maxFrames },
    maxPixels: maxPixels === 0 ? Number.MAX_SAFE_INTEGER : maxPixels,
  }
}
