import { resolve } from 'node:path'
import type { Peer } from '../lib/processes/peer.ts'
import type { Processes } from '../lib/processes/processes.ts'
import type { Examined, Transformed } from './children/job.ts'
import type { ExamineRequest } from './examine-request.ts'
import type { Imaging } from './imaging.ts'
import type { Confinement } from './sandbox/confinement.ts'
import type { TransformRequest } from './transform-request.ts'

type Request = ExamineRequest | TransformRequest

/** What passes to the first process. */
interface Question<R extends Request> {
  path: string
  request: Omit<R, 'signal' | 'onBegin'>
}

/** Decodes for the other processes of the server: one queue, in which tenants take turns, and one child for each core. */
export function shareDecoders(imaging: Imaging, processes: Processes): void {
  processes.answer('examine', ({ path, request }: Question<ExamineRequest>, { signal, progress }) =>
    imaging.examine(path, { ...request, signal, onBegin: progress } as ExamineRequest),
  )
  processes.answer('transform', ({ path, request }: Question<TransformRequest>, { signal, progress }) =>
    imaging.transform(path, { ...request, signal, onBegin: progress } as TransformRequest),
  )
  processes.answer('confinement', () => imaging.confinement())
}

/** The decoders of the first process, for a further one. */
export function decodersOf(first: Peer): Imaging {
  async function ask<T>(task: string, path: string, { signal, onBegin, ...request }: Request): Promise<T> {
    const outputFolder = resolve(request.outputFolder)
    const question = { path: resolve(path), request: { ...request, outputFolder } }
    try {
      return await first.ask<T>(task, question, { signal, onProgress: onBegin })
    } catch (error) {
      signal?.throwIfAborted()
      throw error
    }
  }
  return {
    warmUp: async () => undefined,
    examine: (path, request) => ask<Examined>('examine', path, request),
    transform: (path, request) => ask<Transformed>('transform', path, request),
    confinement: () => first.ask<Confinement>('confinement', undefined),
    pids: [],
    waiting: 0,
    // The first process counts them.
    begun: { upload: 0, transform: 0, unhurried: 0 },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
