import { join } from 'node:path'
import { inject } from 'vitest'
import { type Imaging, startImaging } from '../../../src/imaging/index.ts'

let decoders: Imaging | undefined

/** Settings of an app that decide where its decoders work, or what they start. */
const own = ['SERVICE_DATA_DIR', 'FFMPEG_PATH', 'PATH']

/**
 * The decoders of this worker, for all apps that its tests start: a decoder's start takes more CPU than most tests. They end
 * with the worker. Undefined for an app whose settings ask for decoders of its own.
 */
export function sharedDecoders(environment: Readonly<Record<string, string>> = {}): Imaging | undefined {
  if (own.some((name) => name in environment)) return undefined
  decoders ??= startImaging({ folder: join(inject('runFolder'), `decoders-${process.pid}`) })
  return decoders
}
