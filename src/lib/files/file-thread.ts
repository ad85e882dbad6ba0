/** Writes, changes and hashes files in a thread of its own. Each message has one answer, in order. */
import { createHash, type Hash } from 'node:crypto'
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import type { FileAnswer, FileWork, PatchWork, Sums, WriteWork } from './file-threads.ts'

interface OpenFile {
  descriptor: number
  hashes: readonly (readonly [algorithm: string, hash: Hash])[]
}

const files = new Map<number, OpenFile>()
const mostReadBytes = 524_288
let memory: Buffer | undefined

function perform(work: FileWork): Sums {
  if (work.verb === 'write') return write(work)
  if (work.verb === 'patch') return { md5: patch(work) }
  close(work.file)
  return {}
}

function write({ file, path, mode, sums, bytes, isLast }: WriteWork): Sums {
  const { descriptor, hashes } = files.get(file) ?? open(file)
  writeAll(descriptor, bytes)
  for (const [, hash] of hashes) hash.update(bytes)
  if (!isLast) return {}
  close(file)
  return Object.fromEntries(hashes.map(([algorithm, hash]) => [algorithm, hash.digest('hex')]))

  function open(number: number): OpenFile {
    const opened = {
      descriptor: openSync(path, 'wx', mode),
      hashes: sums.map((algorithm) => [algorithm, createHash(algorithm)] as const),
    }
    files.set(number, opened)
    return opened
  }
}

/** A disk that gets full accepts a part of the bytes and fails at the next write. */
function writeAll(descriptor: number, bytes: Uint8Array, at: number | null = null): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(descriptor, bytes, done, bytes.length - done, at === null ? null : at + done)
  }
}

/** Nothing to do for a file that was never begun, or has ended. */
function close(file: number): void {
  const opened = files.get(file)
  files.delete(file)
  if (opened) closeSync(opened.descriptor)
}

function patch({ path, patches }: PatchWork): string {
  const descriptor = openSync(path, 'r+')
  try {
    for (const { at, bytes } of patches) writeAll(descriptor, bytes, at)
    return md5Of(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function md5Of(descriptor: number): string {
  memory ??= Buffer.allocUnsafeSlow(mostReadBytes)
  const hash = createHash('md5')
  for (let at = 0; ; ) {
    const count = readSync(descriptor, memory, 0, memory.length, at)
    if (count === 0) return hash.digest('hex')
    hash.update(memory.subarray(0, count))
    at += count
  }
}

function answerTo(work: FileWork): FileAnswer {
  try {
    return { sums: perform(work) }
  } catch (error) {
    // A copy of an error would lack its code.
    const { message, code, errno, syscall } = error as NodeJS.ErrnoException
    return { fault: { message, code, errno, syscall } }
  }
}

parentPort?.on('message', (work: FileWork) => parentPort?.postMessage(answerTo(work)))
