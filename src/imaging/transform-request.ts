import { resolve } from 'node:path'
import type { TransformJob } from './children/job.ts'
import type { TransformOptions } from './transform-options.ts'

export interface TransformRequest {
  /** Tenants are served in turn. */
  tenantKey: string
  /** Contains the file, under a name without extension: a copy of stored bytes, because a decoder could change it. The output is written here too. */
  outputFolder: string
  options: TransformOptions
  /** Makes a placeholder too. */
  hasPlaceholder?: boolean
  /** Made when nothing else waits, however long that takes. */
  isUnhurried?: boolean
  /** Aborted if nobody waits for the picture any more. */
  signal?: AbortSignal | undefined
  /** Called when the job leaves the queue and begins to cost CPU. */
  onBegin?: (() => void) | undefined
}

export const transformJobOf = (
  path: string,
  { outputFolder, options, hasPlaceholder = false }: TransformRequest,
): TransformJob => ({
  task: 'transform',
  // Absolute, because a child has another working directory.
  path: resolve(path),
  outputFolder: resolve(outputFolder),
  options,
  hasPlaceholder,
})
