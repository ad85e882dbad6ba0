import { resolve } from 'node:path'
import type { Peer } from '../lib/processes/peer.ts'
import type { Processes } from '../lib/processes/processes.ts'
import type { Examined } from './children/job.ts'
import type { ExamineRequest } from './examine-request.ts'
import type { Imaging } from './imaging.ts'
import type { Confinement } from './sandbox/confinement.ts'

interface Question {
  path: string
  request: Omit<ExamineRequest, 'signal' | 'onBegin'>
}

/** Decodes for the other processes of the server: one queue, in which tenants take turns, and one child for each core. */
export function shareDecoders(imaging: Imaging, processes: Processes): void {
  processes.answer('examine', ({ path, request }: Question, { signal, progress }) =>
    imaging.examine(path, { ...request, signal, onBegin: progress }),
  )
  processes.answer('confinement', () => imaging.confinement())
}

/** The decoders of the first process, for a further one. */
export function decodersOf(first: Peer): Imaging {
  return {
    warmUp: async () => undefined,
    async examine(path, { signal, onBegin, ...request }) {
      const question: Question = {
        path: resolve(path),
        request: { ...request, outputFolder: resolve(request.outputFolder) },
      }
      try {
        return await first.ask<Examined>('examine', question, { signal, onProgress: onBegin })
      } catch (error) {
        signal?.throwIfAborted()
        throw error
      }
    },
    confinement: () => first.ask<Confinement>('confinement', undefined),
    pids: [],
    waiting: 0,
    [Symbol.asyncDispose]: async () => undefined,
  }
}
