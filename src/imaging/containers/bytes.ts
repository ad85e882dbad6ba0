import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { notDecodable } from '../errors.ts'

const WINDOW_BYTES = 65_536

/** Bytes at rest that are read a piece at a time, however many they are. */
export interface Bytes {
  readonly size: number
  /** Exactly that many bytes; a file that ends before is broken. */
  read(at: number, length: number): Buffer
  /** The same into memory that is there already, because what long copies leave behind is collected late. */
  readInto(target: Buffer, at: number): void
  /** All of them, where they are in memory. */
  readonly whole?: Buffer
}

export interface FileBytes extends Bytes, Disposable {}

export function openBytes(path: string): FileBytes {
  const descriptor = openSync(path, 'r')
  const { size } = fstatSync(descriptor)
  let window: Buffer = Buffer.alloc(0)
  let windowAt = 0

  return {
    size,
    read(at, length) {
      if (at >= windowAt && at + length <= windowAt + window.length) {
        return window.subarray(at - windowAt, at - windowAt + length)
      }
      if (!isWithin(size, at, length)) throw endsEarly()
      if (length > WINDOW_BYTES) return readExactly(descriptor, at, length)
      // A new buffer each time, so that pieces handed out before stay what they were.
      window = readExactly(descriptor, at, Math.min(WINDOW_BYTES, size - at))
      windowAt = at
      return window.subarray(0, length)
    },
    readInto(target, at) {
      if (!isWithin(size, at, target.length)) throw endsEarly()
      fill(descriptor, target, at)
    },
    [Symbol.dispose]: () => closeSync(descriptor),
  }
}

/** What is no longer is read at once: to read it piece by piece, ourselves and then the decoder, costs more. */
const MOST_WHOLE_BYTES = 16_777_216
let memory = Buffer.alloc(0)

/** For who is done with one file before the next, which may be read into the same memory. */
export function openWhole(path: string): FileBytes {
  const file = openBytes(path)
  if (file.size > MOST_WHOLE_BYTES) return file
  using read = file
  if (memory.length < read.size) memory = Buffer.allocUnsafeSlow(read.size)
  const whole = memory.subarray(0, read.size)
  read.readInto(whole, 0)
  return { ...bytesOf(whole), [Symbol.dispose]: () => undefined }
}

export function bytesOf(buffer: Buffer): Bytes {
  return {
    size: buffer.length,
    whole: buffer,
    read(at, length) {
      if (!isWithin(buffer.length, at, length)) throw endsEarly()
      return buffer.subarray(at, at + length)
    },
    readInto(target, at) {
      if (!isWithin(buffer.length, at, target.length)) throw endsEarly()
      buffer.copy(target, 0, at)
    },
  }
}

/** The first bytes, fewer when there are no more. */
export function readHead(bytes: Bytes, length: number): Buffer {
  return bytes.read(0, Math.min(length, bytes.size))
}

export function textAt(bytes: Bytes, at: number, length: number): string {
  return bytes.read(at, length).toString('latin1')
}

function readExactly(descriptor: number, at: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length)
  fill(descriptor, buffer, at)
  return buffer
}

function fill(descriptor: number, buffer: Buffer, at: number): void {
  for (let done = 0; done < buffer.length; ) {
    const count = readSync(descriptor, buffer, done, buffer.length - done, at + done)
    if (count === 0) throw endsEarly()
    done += count
  }
}

const isWithin = (size: number, at: number, length: number) => at >= 0 && length >= 0 && at + length <= size

const endsEarly = () => notDecodable('the file ends in the middle')
