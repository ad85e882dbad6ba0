import { FairQueue } from './fair-queue.ts'

/**
 * Uploads first, because somebody waits for all of them and a refused one is lost; then pictures that somebody waits for; then those
 * that nobody waits for. Within a lane, tenants take turns.
 */
export type Lane = 'upload' | 'transform' | 'unhurried'

export const LANES: readonly Lane[] = ['upload', 'transform', 'unhurried']

/** Transforms that wait. A request that finds the queue full is answered with another size, so the queue is short. */
const MAX_WAITING_TRANSFORMS = 64
const MAX_UNHURRIED = 1_000

/** The queue of the decoders. One process is left to uploads, if there is more than one. */
export class JobLanes<T extends { lane: Lane; tenantKey: string }> {
  readonly #queues: Readonly<Record<Lane, FairQueue<T>>>
  readonly #most: Readonly<Record<Lane, number>>
  readonly #running: Record<Lane, number> = { upload: 0, transform: 0, unhurried: 0 }
  readonly #begun: Record<Lane, number> = { upload: 0, transform: 0, unhurried: 0 }

  constructor({ children, maxWaiting }: { children: number; maxWaiting: number }) {
    this.#queues = {
      upload: new FairQueue(maxWaiting),
      transform: new FairQueue(MAX_WAITING_TRANSFORMS),
      unhurried: new FairQueue(MAX_UNHURRIED),
    }
    this.#most = { upload: children, transform: Math.max(1, children - 1), unhurried: 1 }
  }

  get waiting(): number {
    return LANES.reduce((sum, lane) => sum + this.#queues[lane].size, 0)
  }

  /** Jobs that have begun since the start. */
  get begun(): Readonly<Record<Lane, number>> {
    return this.#begun
  }

  /** If the queue is full, returns the job that has to leave it. */
  push(job: T): T | undefined {
    return this.#queues[job.lane].push(job.tenantKey, job)
  }

  remove(job: T): boolean {
    return this.#queues[job.lane].remove(job.tenantKey, job)
  }

  /** The next job that may begin; `end` is called when it has ended. */
  begin(): T | undefined {
    const { transform, unhurried } = this.#running
    const mayTransform = transform + unhurried < this.#most.transform
    const lane = LANES.find(
      (each) =>
        this.#queues[each].size > 0 &&
        (each === 'upload' || mayTransform) &&
        this.#running[each] < this.#most[each],
    )
    if (lane === undefined) return undefined
    this.#running[lane]++
    this.#begun[lane]++
    return this.#queues[lane].take()
  }

  end({ lane }: T): void {
    this.#running[lane]--
  }

  /** Empties the queue. */
  drain(): T[] {
    const jobs: T[] = []
    for (const lane of LANES) {
      for (let job = this.#queues[lane].take(); job; job = this.#queues[lane].take()) jobs.push(job)
    }
    return jobs
  }
}
