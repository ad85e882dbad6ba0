import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { notDecodable } from '../errors.ts'

const WINDOW_BYTES = 65_536

/** Random access to the bytes of a file or buffer, so that large files need not be in memory. */
export interface Bytes {
  readonly size: number
  /** Returns exactly `length` bytes; throws if the file is shorter. */
  read(at: number, length: number): Buffer
  /** Reads into an existing buffer, because garbage collection frees large new buffers late. */
  readInto(target: Buffer, at: number): void
  /** All bytes, if they are in memory. */
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
      if (!isWithin(size, at, length)) throw truncated()
      if (length > WINDOW_BYTES) return readExactly(descriptor, at, length)
      // A new buffer each time, because callers may still use parts of the previous one.
      window = readExactly(descriptor, at, Math.min(WINDOW_BYTES, size - at))
      windowAt = at
      return window.subarray(0, length)
    },
    readInto(target, at) {
      if (!isWithin(size, at, target.length)) throw truncated()
      fill(descriptor, target, at)
    },
    [Symbol.dispose]: () => closeSync(descriptor),
  }
}

/** A file up to this size is read with one call: parsing it and decoding it then read it from memory. */
const MAX_WHOLE_BYTES = 16_777_216
let sharedBuffer = Buffer.alloc(0)

/**
 * Reads small files whole into one shared buffer, so only one of them may be open at a time. The buffer is cleared afterwards:
 * the next file may be another tenant's, and a decoder with a fault must not find this one.
 */
export function openWhole(path: string): FileBytes {
  const file = openBytes(path)
  if (file.size > MAX_WHOLE_BYTES) return file
  using read = file
  if (sharedBuffer.length < read.size) sharedBuffer = Buffer.allocUnsafeSlow(read.size)
  const whole = sharedBuffer.subarray(0, read.size)
  read.readInto(whole, 0)
  return { ...bytesOf(whole), [Symbol.dispose]: () => void whole.fill(0) }
}

export function bytesOf(buffer: Buffer): Bytes {
  return {
    size: buffer.length,
    whole: buffer,
    read(at, length) {
      if (!isWithin(buffer.length, at, length)) throw truncated()
      return buffer.subarray(at, at + length)
    },
    readInto(target, at) {
      if (!isWithin(buffer.length, at, target.length)) throw truncated()
      buffer.copy(target, 0, at)
    },
  }
}

/** A range of the bytes, with offsets counted from its start. */
export function bytesBetween(bytes: Bytes, start: number, end: number): Bytes {
  const size = end - start
  const check = (at: number, length: number) => {
    if (!isWithin(size, at, length)) throw truncated()
  }
  return {
    size,
    ...(bytes.whole && { whole: bytes.whole.subarray(start, end) }),
    read(at, length) {
      check(at, length)
      return bytes.read(start + at, length)
    },
    readInto(target, at) {
      check(at, target.length)
      bytes.readInto(target, start + at)
    },
  }
}

/** The first `length` bytes, or all if there are fewer. */
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
    if (count === 0) throw truncated()
    done += count
  }
}

const isWithin = (size: number, at: number, length: number) => at >= 0 && length >= 0 && at + length <= size

const truncated = () => notDecodable('the file is truncated')
