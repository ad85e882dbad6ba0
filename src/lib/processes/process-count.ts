import { availableParallelism, totalmem } from 'node:os'

/** What this process may use: a container may be given less than the machine has. */
export interface Room {
  cores: number
  memoryBytes: number
  /** Whether processes can listen on one address. */
  sharesPorts: boolean
}

const bytesOfProcess = 512 * 1_048_576

/** One process for each core, if each has half a gigabyte: some 120 MB of its own, and the decoders and caches of its core. */
export function processesFor({ cores, memoryBytes, sharesPorts }: Room): number {
  if (!sharesPorts) return 1
  return Math.max(1, Math.min(cores, Math.floor(memoryBytes / bytesOfProcess)))
}

export function roomHere(): Room {
  // Without a limit, Node answers with 0 or with a number beyond any memory.
  const limit = process.constrainedMemory()
  const memoryBytes = limit > 0 ? Math.min(limit, totalmem()) : totalmem()
  return { cores: availableParallelism(), memoryBytes, sharesPorts: process.platform === 'linux' }
}
