import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Refusal } from '../lib/refusal.ts'
import { Child, WORKER_ENVIRONMENT, WORKER_FLAGS } from './children/child.ts'
import { compileWorker } from './children/compile-cache.ts'
import type { Examined, ExamineJob, FoundVideo } from './children/job.ts'
import { ForgedAnswer } from './children/read-answer.ts'
import { claimFiles, isEmpty, makeWorkFolder, patchSource, stageJob } from './children/work-folder.ts'
import { decoderBusy, decoderUnavailable, notDecodable } from './errors.ts'
import { type ExamineRequest, jobOf, removeOutput } from './examine-request.ts'
import { FairQueue } from './fair-queue.ts'
import { defaultOptions, type ImagingOptions, type ImagingSettings } from './imaging-options.ts'
import { type Confinement, confineDecoder, DECODER_ID } from './sandbox/confinement.ts'
import { sandboxOfDecoder } from './sandbox/inner-sandbox.ts'
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
  /** The sandbox that this machine allows around decoders. */
  confinement(): Promise<Confinement>
  /** Ids of the processes that are running. */
  readonly pids: number[]
  /** How many jobs are in the queue. */
  readonly waiting: number
}

interface Ticket extends PromiseWithResolvers<Examined> {
  job: ExamineJob
  request: ExamineRequest
  /** The process that is working on the job. */
  child?: Child | undefined
}

export function startImaging(options: ImagingOptions = {}): Imaging {
  return new Decoders({ ...defaultOptions(), ...options })
}

class Decoders implements Imaging {
  readonly #settings: ImagingSettings
  readonly #queue: FairQueue<Ticket>
  readonly #children = new Set<Child>()
  readonly #idle: Child[] = []
  /** The tenant that a child has served; none for one that was started before it was needed. */
  readonly #tenants = new WeakMap<Child, string>()
  readonly #work = new Set<Promise<void>>()
  readonly #closing = new AbortController()
  /** Contains one work folder for each process. */
  #root: string | undefined
  #environment: Readonly<Record<string, string>> = WORKER_ENVIRONMENT
  #confinement: Promise<Confinement> | undefined
  #frameTool: ReturnType<typeof findFrameTool> | undefined
  #isClosed = false

  constructor(settings: ImagingSettings) {
    this.#settings = settings
    this.#queue = new FairQueue(settings.maxWaiting)
  }

  get pids(): number[] {
    return [...this.#children].flatMap(({ pid, hasEnded }) => (pid === undefined || hasEnded ? [] : [pid]))
  }

  get waiting(): number {
    return this.#queue.size
  }

  async warmUp(): Promise<void> {
    try {
      await this.confinement()
    } catch (error) {
      if (!this.#isClosed) throw error
    }
  }

  confinement(): Promise<Confinement> {
    this.#confinement ??= this.#findConfinement().catch((error) => {
      // Not cached: the reason may be gone at the next job.
      this.#confinement = undefined
      throw error
    })
    return this.#confinement
  }

  async examine(path: string, request: ExamineRequest): Promise<Examined> {
    if (this.#isClosed) throw decoderUnavailable('the server is closing')
    const { tenantKey, signal } = request
    signal?.throwIfAborted()
    const ticket: Ticket = {
      job: jobOf(path, request, this.#settings.maxFrames),
      request,
      ...Promise.withResolvers(),
    }
    const dequeue = (reason: unknown) => this.#queue.remove(tenantKey, ticket) && ticket.reject(reason)
    const onAbort = () => dequeue(signal?.reason) || ticket.child?.abandon()
    signal?.addEventListener('abort', onAbort, { once: true })
    this.#queue.push(tenantKey, ticket)?.reject(decoderBusy())
    this.#serveNext()
    const timer = setTimeout(() => dequeue(decoderBusy()), this.#settings.maxWaitSeconds * 1_000)
    try {
      return await ticket.promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    this.#closing.abort(decoderUnavailable('the server is closing'))
    for (let ticket = this.#queue.take(); ticket !== undefined; ticket = this.#queue.take()) {
      ticket.reject(decoderUnavailable('the server is closing'))
    }
    await Promise.all([...this.#children].map((child) => child.kill()))
    await Promise.all([...this.#work, this.#confinement?.catch(() => undefined)])
    await Promise.all([...this.#children].map((child) => this.#discard(child)))
    if (this.#root !== undefined && this.#settings.folder === undefined)
      await rm(this.#root, { recursive: true, force: true })
  }

  #serveNext(): void {
    while (!this.#isClosed && this.#work.size < this.#settings.children) {
      const ticket = this.#queue.take()
      if (ticket === undefined) return
      const work = this.#serve(ticket).finally(() => {
        this.#work.delete(work)
        this.#serveNext()
      })
      this.#work.add(work)
    }
  }

  async #serve(ticket: Ticket): Promise<void> {
    const { request, resolve, reject } = ticket
    try {
      request.onBegin?.()
      resolve(await this.#attempt(ticket).catch((error) => this.#retryIfKilled(ticket, error)))
    } catch (error) {
      reject(error)
    }
  }

  /** If the kernel or an operator killed the decoder, the job is retried once with another one. */
  async #retryIfKilled(ticket: Ticket, error: unknown): Promise<Examined> {
    const isKilled = error instanceof Refusal && error.code === 'decoder-killed'
    if (!isKilled || this.#isClosed || ticket.request.signal?.aborted) throw error
    await removeOutput(ticket.job)
    return this.#attempt(ticket)
  }

  async #attempt(ticket: Ticket): Promise<Examined> {
    const outcome = await this.#withChild(ticket, (child, job) => child.run(job))
    const examined = outcome.type === 'image' ? outcome : await this.#examineVideo(ticket, outcome)
    const { ownId } = await this.confinement()
    try {
      return await patchSource(claimFiles(examined, { original: ticket.job, ownId }), ticket.job)
    } catch (error) {
      throw error instanceof ForgedAnswer ? notDecodable(error.message) : error
    }
  }

  /** Runs one step of a job in a child. The job's files are visible to the child only during the step. */
  async #withChild<T>(ticket: Ticket, step: (child: Child, job: ExamineJob) => Promise<T>): Promise<T> {
    ticket.request.signal?.throwIfAborted()
    const child = await this.#takeChild(ticket.request.tenantKey)
    ticket.child = child
    try {
      const staged = await stageJob(child.folder, ticket.job)
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
      await this.#release(child)
    }
  }

  async #examineVideo(ticket: Ticket, found: FoundVideo): Promise<Examined> {
    this.#frameTool ??= findFrameTool(this.#settings, () => this.confinement()).catch((error) => {
      // Not cached: the reason may be gone at the next video.
      this.#frameTool = undefined
      throw error
    })
    const tool = await this.#frameTool
    const { signal: caller } = ticket.request
    const signal = AbortSignal.any([this.#closing.signal, ...(caller ? [caller] : [])])
    const frames: FrameTool | undefined = tool && { ...tool, signal }
    const withChild: WithChild = (step) => this.#withChild(ticket, step)
    return examineVideo({ withChild, frames, limits: this.#settings }, found)
  }

  /** Finds the strongest sandbox by starting the first child in it; that child then serves the first job. */
  async #findConfinement(): Promise<Confinement> {
    const { maxMemoryBytes, worker } = this.#settings
    const code = { flags: WORKER_FLAGS, environment: WORKER_ENVIRONMENT, ownId: DECODER_ID }
    const compiled = await compileWorker({ worker, ...code })
    this.#environment = { ...WORKER_ENVIRONMENT, ...(compiled && { NODE_COMPILE_CACHE: compiled }) }
    return confineDecoder(maxMemoryBytes, {
      inner: sandboxOfDecoder(worker, this.#environment),
      start: async (confinement) => void this.#idle.push(await this.#startChild(confinement)),
    })
  }

  async #takeChild(tenantKey: string): Promise<Child> {
    const confinement = await this.confinement()
    for (let child = this.#takeIdle(tenantKey); child !== undefined; child = this.#takeIdle(tenantKey)) {
      // Another server on the same data folder may have removed an idle child's work folder as abandoned.
      if (!child.hasEnded && existsSync(child.folder.path)) return child
      await this.#discard(child)
    }
    // Those that are left belong to other tenants.
    const unused = this.#children.size >= this.#settings.children ? this.#idle.shift() : undefined
    if (unused) await this.#discard(unused)
    const child = await this.#startChild(confinement)
    this.#tenants.set(child, tenantKey)
    return child
  }

  #takeIdle(tenantKey: string): Child | undefined {
    if (!this.#settings.isChildPerTenant) return this.#idle.pop()
    const mayServe = (child: Child) => (this.#tenants.get(child) ?? tenantKey) === tenantKey
    const index = this.#idle.findLastIndex(mayServe)
    if (index === -1) return undefined
    const [child] = this.#idle.splice(index, 1)
    if (child) this.#tenants.set(child, tenantKey)
    return child
  }

  async #startChild(confinement: Confinement): Promise<Child> {
    this.#root ??= this.#settings.folder ?? (await mkdtemp(join(tmpdir(), 'terrace-decoders-')))
    const folder = await makeWorkFolder(this.#root, confinement.ownId)
    if (this.#isClosed) throw decoderUnavailable('the server is closing')
    const canWriteCache = confinement.ownId === undefined && confinement.missing.includes('files')
    const environment = canWriteCache ? WORKER_ENVIRONMENT : this.#environment
    const child = new Child({ ...this.#settings, confinement, folder, environment })
    this.#children.add(child)
    try {
      await child.ready
      return child
    } catch (error) {
      await this.#discard(child)
      throw error
    }
  }

  async #discard(child: Child): Promise<void> {
    this.#children.delete(child)
    await child.kill()
    child.folder.heartbeat[Symbol.dispose]()
    await rm(child.folder.path, { recursive: true, force: true }).catch(() => undefined)
  }

  async #release(child: Child): Promise<void> {
    const { jobsPerChild, maxIdleBytes } = this.#settings
    const isUsedUp = child.hasEnded || child.jobs >= jobsPerChild || child.residentBytes > maxIdleBytes
    if (!isUsedUp && !this.#isClosed && isEmpty(child.folder)) {
      this.#idle.push(child)
      return
    }
    await this.#discard(child)
  }
}
