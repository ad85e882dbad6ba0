import type { UploadData } from '../../../../src/common/wire.ts'
import type { Formatter } from '../formatter.ts'
import type { Queue } from '../queue/queue.ts'

/** What every part of the queue's view needs. A page has one queue. */
export interface UploadContext {
  data: UploadData
  queue: Queue
  formatter: Formatter
  /** Draws soon, once for all changes until then. */
  redraw: () => void
}

let context: UploadContext

export function setUploadContext(entered: UploadContext): void {
  context = entered
}

/** Parts are drawn after the queue is opened. */
export const useUploadContext = (): UploadContext => context
