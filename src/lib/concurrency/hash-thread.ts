/** Takes sums in a thread of its own. Each message has one answer, in order. */
import { createHash, type Hash } from 'node:crypto'
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import type { Algorithm, HashAnswer, HashWork, PieceWork } from './hash-threads.ts'

const sums = new Map<number, readonly Hash[]>()
/** What is read stays in the cache of the processor until it is summed and written. */
const bufferBytes = 131_072
let buffer: Buffer | undefined

function perform(work: HashWork): HashAnswer {
  if (work.verb === 'begin') return void begin(work)
  if (work.verb === 'piece') return addPiece(work)
  const hashes = sums.get(work.sum)
  if (!hashes) throw new Error(`There is no sum ${work.sum}.`)
  if (work.verb === 'add') for (const hash of hashes) hash.update(work.chunk)
  else if (work.verb === 'copy')
    sums.set(
      work.to,
      hashes.map((hash) => hash.copy()),
    )
  else return digest(work.sum, hashes)
  return undefined
}

function begin({ sum, algorithms }: { sum: number; algorithms: readonly Algorithm[] }): readonly Hash[] {
  const hashes = algorithms.map((algorithm) => createHash(algorithm))
  sums.set(sum, hashes)
  return hashes
}

function digest(sum: number, hashes: readonly Hash[]): readonly Uint8Array[] {
  sums.delete(sum)
  return hashes.map((hash) => hash.digest())
}

/** Why bytes could not be read or written is an answer too: the thread has others to take sums of. */
function addPiece(work: PieceWork): HashAnswer {
  const { from, to, sizeBytes } = work
  const hashes = sums.get(work.sum) ?? begin(work)
  buffer ??= Buffer.allocUnsafeSlow(bufferBytes)
  let opened: number | undefined
  try {
    if (to && 'path' in to) opened = openSync(to.path, to.position === 0 ? 'wx' : 'r+', 0o600)
    const target = to && 'fd' in to ? to.fd : opened
    for (let done = 0; done < sizeBytes; ) {
      const most = Math.min(buffer.length, sizeBytes - done)
      const bytesRead = readSync(from.fd, buffer, 0, most, from.position + done)
      if (bytesRead === 0) return 'too short'
      const chunk = buffer.subarray(0, bytesRead)
      for (const hash of hashes) hash.update(chunk)
      if (to && target !== undefined) writeAll(target, chunk, to.position + done)
      done += bytesRead
    }
    return work.isLast ? digest(work.sum, hashes) : 'more'
  } catch (error) {
    const { message, code, syscall } = error as NodeJS.ErrnoException
    return { message, code, syscall }
  } finally {
    if (opened !== undefined) closeSync(opened)
  }
}

function writeAll(file: number, chunk: Buffer, position: number): void {
  for (let done = 0; done < chunk.length; )
    done += writeSync(file, chunk, done, chunk.length - done, position + done)
}

parentPort?.on('message', (work: HashWork) => parentPort?.postMessage(perform(work)))
