/** Takes sums in a thread of its own. Each message has one answer, in order. */
import { createHash, type Hash } from 'node:crypto'
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import type { HashAnswer, HashWork, PieceWork } from './hash-threads.ts'

const sums = new Map<number, readonly Hash[]>()
let buffer: Buffer | undefined

function perform(work: HashWork): HashAnswer {
  if (work.verb === 'begin') return begin(work)
  const hashes = sums.get(work.sum)
  if (!hashes) throw new Error(`There is no sum ${work.sum}.`)
  if (work.verb === 'add') for (const hash of hashes) hash.update(work.chunk)
  else if (work.verb === 'piece') return addPiece(hashes, work)
  else if (work.verb === 'copy')
    sums.set(
      work.to,
      hashes.map((hash) => hash.copy()),
    )
  else {
    sums.delete(work.sum)
    return hashes.map((hash) => hash.digest())
  }
  return undefined
}

function begin({ sum, algorithms }: Extract<HashWork, { verb: 'begin' }>): undefined {
  sums.set(
    sum,
    algorithms.map((algorithm) => createHash(algorithm)),
  )
}

/** Returns how many bytes there were, or why they could not be read or written: the thread has others to take sums of. */
function addPiece(hashes: readonly Hash[], { from, to, sizeBytes }: PieceWork): HashAnswer {
  buffer ??= Buffer.allocUnsafeSlow(1 << 20)
  let file: number | undefined
  try {
    file = to && openSync(to.path, to.position === 0 ? 'wx' : 'r+', 0o600)
    for (let done = 0; done < sizeBytes; ) {
      const most = Math.min(buffer.length, sizeBytes - done)
      const bytesRead = readSync(from.fd, buffer, 0, most, from.position + done)
      if (bytesRead === 0) return done
      const chunk = buffer.subarray(0, bytesRead)
      for (const hash of hashes) hash.update(chunk)
      if (to && file !== undefined) writeAll(file, chunk, to.position + done)
      done += bytesRead
    }
    return sizeBytes
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    return { message, code }
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

function writeAll(file: number, chunk: Buffer, position: number): void {
  for (let done = 0; done < chunk.length; )
    done += writeSync(file, chunk, done, chunk.length - done, position + done)
}

parentPort?.on('message', (work: HashWork) => parentPort?.postMessage(perform(work)))
