import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decoderUnavailable } from '../errors.ts'
import type { ImagingSettings } from '../imaging-options.ts'
import { type Confinement, confineDecoder, DECODER_ID } from '../sandbox/confinement.ts'
import { sandboxOfDecoder } from '../sandbox/inner-sandbox.ts'
import { Child, WORKER_ENVIRONMENT, WORKER_FLAGS } from './child.ts'
import { compileWorker } from './compile-cache.ts'
import { isEmpty, makeWorkFolder } from './work-folder.ts'

/** The processes of the decoders: each is lent to one job at a time. */
export class ChildPool implements AsyncDisposable {
  readonly #settings: ImagingSettings
  readonly #all = new Set<Child>()
  readonly #idle: Child[] = []
  /** The tenant that a child has served; none for one that was started before it was needed. */
  readonly #tenants = new WeakMap<Child, string>()
  /** Contains one work folder for each process. */
  #root: string | undefined
  #environment: Readonly<Record<string, string>> = WORKER_ENVIRONMENT
  #confinement: Promise<Confinement> | undefined
  #isClosed = false

  constructor(settings: ImagingSettings) {
    this.#settings = settings
  }

  get pids(): number[] {
    return [...this.#all].flatMap(({ pid, hasEnded }) => (pid === undefined || hasEnded ? [] : [pid]))
  }

  confinement(): Promise<Confinement> {
    this.#confinement ??= this.#findConfinement().catch((error) => {
      // Not cached: the reason may be gone at the next job.
      this.#confinement = undefined
      throw error
    })
    return this.#confinement
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

  async take(tenantKey: string): Promise<Child> {
    const confinement = await this.confinement()
    for (let child = this.#takeIdle(tenantKey); child !== undefined; child = this.#takeIdle(tenantKey)) {
      // Another server on the same data folder may have removed an idle child's work folder as abandoned.
      if (!child.hasEnded && existsSync(child.folder.path)) return child
      await this.#discard(child)
    }
    // Those that are left belong to other tenants.
    const unused = this.#all.size >= this.#settings.children ? this.#idle.shift() : undefined
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
    this.#all.add(child)
    try {
      await child.ready
      return child
    } catch (error) {
      await this.#discard(child)
      throw error
    }
  }

  async #discard(child: Child): Promise<void> {
    this.#all.delete(child)
    await child.kill()
    child.folder.heartbeat[Symbol.dispose]()
    await rm(child.folder.path, { recursive: true, force: true }).catch(() => undefined)
  }

  async release(child: Child): Promise<void> {
    const { jobsPerChild, maxIdleBytes } = this.#settings
    const isUsedUp = child.hasEnded || child.jobs >= jobsPerChild || child.residentBytes > maxIdleBytes
    if (!isUsedUp && !this.#isClosed && isEmpty(child.folder)) {
      this.#idle.push(child)
      return
    }
    await this.#discard(child)
  }

  /** Ends all processes, and with them their jobs; starts no more. */
  async kill(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#all].map((child) => child.kill()))
    await this.#confinement?.catch(() => undefined)
  }

  /** When no job uses a process any more. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#all].map((child) => this.#discard(child)))
    if (this.#root !== undefined && this.#settings.folder === undefined)
      await rm(this.#root, { recursive: true, force: true })
  }
}
