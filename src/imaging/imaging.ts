import { Refusal } from '../lib/refusal.ts'
import type { Child } from './children/child.ts'
import { ChildPool } from './children/child-pool.ts'
import type { Examined, ExamineJob, FileJob, FoundVideo, Transformed } from './children/job.ts'
import { ForgedAnswer } from './children/read-answer.ts'
import { claimDerived, claimFiles, patchSource, stageJob } from './children/work-folder.ts'
import { decoderBusy, decoderUnavailable, notDecodable } from './errors.ts'
import { type ExamineRequest, jobOf, removeOutput } from './examine-request.ts'
import { defaultOptions, type ImagingOptions, type ImagingSettings } from './imaging-options.ts'
import { JobLanes, type Lane } from './job-lanes.ts'
import type { Confinement } from './sandbox/confinement.ts'
import { type TransformRequest, transformJobOf } from './transform-request.ts'
import { examineVideo } from './video/examine-video.ts'
import { findFrameTool } from './video/find-frame-tool.ts'
import type { WithChild } from './video/library/take-frame-in-child.ts'
import type { FrameTool } from './video/program/take-frame.ts'

/** Decoders in child processes. A process starts when a job needs it and serves many jobs; if it fails, only its current job fails. */
export interface Imaging extends AsyncDisposable {
  /** Starts the first process, so that the first upload does not wait for it. If that fails, the next job tries again. */
  warmUp(): Promise<void>
  /** Does everything that needs a decoder for one local file, in a child process. */
  examine(path: string, request: ExamineRequest): Promise<Examined>
  /** Derives one picture from a local copy of a stored one, in a child process. */
  transform(path: string, request: TransformRequest): Promise<Transformed>
  /** The sandbox that this machine allows around decoders. */
  confinement(): Promise<Confinement>
  /** Ids of the processes that are running. */
  readonly pids: number[]
  /** How many jobs are in the queue. */
  readonly waiting: number
  /** How many have begun since the start, by their lane. */
  readonly begun: Readonly<Record<Lane, number>>
}

interface Ticket extends PromiseWithResolvers<unknown> {
  lane: Lane
  tenantKey: string
  job: FileJob
  request: Pick<ExamineRequest, 'signal' | 'onBegin'>
  attempt: (ticket: Ticket) => Promise<unknown>
  /** The process that is working on the job. */
  child?: Child | undefined
}

export function startImaging(options: ImagingOptions = {}): Imaging {
  return new Decoders({ ...defaultOptions(), ...options })
}

class Decoders implements Imaging {
  readonly #settings: ImagingSettings
  readonly #queue: JobLanes<Ticket>
  readonly #children: ChildPool
  readonly #work = new Set<Promise<void>>()
  readonly #closing = new AbortController()
  #frameTool: ReturnType<typeof findFrameTool> | undefined
  #isClosed = false

  constructor(settings: ImagingSettings) {
    this.#settings = settings
    this.#queue = new JobLanes(settings)
    this.#children = new ChildPool(settings)
  }

  get pids(): number[] {
    return this.#children.pids
  }

  get waiting(): number {
    return this.#queue.waiting
  }

  get begun(): Readonly<Record<Lane, number>> {
    return this.#queue.begun
  }

  async warmUp(): Promise<void> {
    try {
      await this.confinement()
    } catch (error) {
      if (!this.#isClosed) throw error
    }
  }

  confinement(): Promise<Confinement> {
    return this.#children.confinement()
  }

  examine(path: string, request: ExamineRequest): Promise<Examined> {
    const job = jobOf(path, request, this.#settings.maxFrames)
    return this.#enqueue('upload', job, request, (ticket) => this.#attemptExamine(ticket, job))
  }

  transform(path: string, request: TransformRequest): Promise<Transformed> {
    const job = transformJobOf(path, request)
    const lane = request.isUnhurried ? 'unhurried' : 'transform'
    return this.#enqueue(lane, job, request, async (ticket) => {
      const made = await this.#withChild(ticket, job, (child, staged) => child.run(staged))
      return this.#claim((ownId) => claimDerived(made, { original: job, ownId }))
    })
  }

  async #enqueue<T>(
    lane: Lane,
    job: FileJob,
    request: ExamineRequest | TransformRequest,
    attempt: (ticket: Ticket) => Promise<T>,
  ): Promise<T> {
    if (this.#isClosed) throw decoderUnavailable('the server is closing')
    const { tenantKey, signal } = request
    signal?.throwIfAborted()
    const ticket: Ticket = { lane, tenantKey, job, request, attempt, ...Promise.withResolvers() }
    const dequeue = (reason: unknown) => this.#queue.remove(ticket) && ticket.reject(reason)
    const onAbort = () => dequeue(signal?.reason) || ticket.child?.abandon()
    signal?.addEventListener('abort', onAbort, { once: true })
    this.#queue.push(ticket)?.reject(decoderBusy())
    this.#serveNext()
    const waitMs = lane === 'unhurried' ? undefined : this.#settings.maxWaitSeconds * 1_000
    const timer = waitMs && setTimeout(() => dequeue(decoderBusy()), waitMs)
    try {
      return (await ticket.promise) as T
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    this.#closing.abort(decoderUnavailable('the server is closing'))
    for (const ticket of this.#queue.drain()) ticket.reject(decoderUnavailable('the server is closing'))
    await this.#children.kill()
    await Promise.all(this.#work)
    await this.#children[Symbol.asyncDispose]()
  }

  #serveNext(): void {
    while (!this.#isClosed && this.#work.size < this.#settings.children) {
      const ticket = this.#queue.begin()
      if (ticket === undefined) return
      const work = this.#serve(ticket).finally(() => {
        this.#work.delete(work)
        this.#queue.end(ticket)
        this.#serveNext()
      })
      this.#work.add(work)
    }
  }

  async #serve(ticket: Ticket): Promise<void> {
    const { request, resolve, reject } = ticket
    try {
      request.onBegin?.()
      resolve(await ticket.attempt(ticket).catch((error) => this.#retryIfKilled(ticket, error)))
    } catch (error) {
      reject(error)
    }
  }

  /** If the kernel or an operator killed the decoder, the job is retried once with another one. */
  async #retryIfKilled(ticket: Ticket, error: unknown): Promise<unknown> {
    const isKilled = error instanceof Refusal && error.code === 'decoder-killed'
    if (!isKilled || this.#isClosed || ticket.request.signal?.aborted) throw error
    await removeOutput(ticket.job)
    return ticket.attempt(ticket)
  }

  async #attemptExamine(ticket: Ticket, job: ExamineJob): Promise<Examined> {
    const outcome = await this.#withChild(ticket, job, (child, staged) => child.run(staged))
    const examined = outcome.type === 'image' ? outcome : await this.#examineVideo(ticket, job, outcome)
    return this.#claim((ownId) => patchSource(claimFiles(examined, { original: job, ownId }), job))
  }

  /** Takes the files of an answer over. */
  async #claim<T>(take: (ownId: number | undefined) => T | Promise<T>): Promise<T> {
    const { ownId } = await this.confinement()
    try {
      return await take(ownId)
    } catch (error) {
      throw error instanceof ForgedAnswer ? notDecodable(error.message) : error
    }
  }

  /** Runs one step of a job in a child. The job's files are visible to the child only during the step. */
  async #withChild<J extends FileJob, T>(
    ticket: Ticket,
    job: J,
    step: (child: Child, job: J) => Promise<T>,
  ): Promise<T> {
    ticket.request.signal?.throwIfAborted()
    const child = await this.#children.take(ticket.tenantKey)
    ticket.child = child
    try {
      const staged = await stageJob(child.folder, job)
      try {
        return await step(child, staged.job)
      } finally {
        await staged.takeBack()
      }
    } catch (error) {
      if (!(error instanceof ForgedAnswer)) throw error
      // A file may have taken the process over.
      await child.kill()
      throw notDecodable(error.message)
    } finally {
      ticket.child = undefined
      await this.#children.release(child)
    }
  }

  async #examineVideo(ticket: Ticket, job: ExamineJob, found: FoundVideo): Promise<Examined> {
    this.#frameTool ??= findFrameTool(this.#settings, () => this.confinement()).catch((error) => {
      // Not cached: the reason may be gone at the next video.
      this.#frameTool = undefined
      throw error
    })
    const tool = await this.#frameTool
    const { signal: caller } = ticket.request
    const signal = AbortSignal.any([this.#closing.signal, ...(caller ? [caller] : [])])
    const frames: FrameTool | undefined = tool && { ...tool, signal }
    const withChild: WithChild = (step) => this.#withChild(ticket, job, step)
    return examineVideo({ withChild, frames, limits: this.#settings }, found)
  }
}
