/** Takes sums in a thread of its own. Each message has one answer, in order. */
import { createHash, type Hash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import type { HashAnswer, HashWork } from './hash-threads.ts'

const sums = new Map<number, Hash>()

function perform(work: HashWork): HashAnswer {
  const sum = sums.get(work.sum)
  if (work.verb === 'begin') sums.set(work.sum, createHash(work.algorithm))
  else if (!sum) throw new Error(`There is no sum ${work.sum}.`)
  else if (work.verb === 'add') sum.update(work.chunk)
  else if (work.verb === 'copy') sums.set(work.to, sum.copy())
  else {
    sums.delete(work.sum)
    return sum.digest()
  }
  return undefined
}

parentPort?.on('message', (work: HashWork) => parentPort?.postMessage(perform(work)))
