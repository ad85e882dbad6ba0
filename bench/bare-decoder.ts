import { fork } from 'node:child_process'
import { once } from 'node:events'

export interface BareDecoder extends AsyncDisposable {
  pid: number
  /** With `sums`, also so many MD5s of the file and one write of it: the least that an upload can cost. */
  decode(path: string, times: number, sums?: number): Promise<void>
}

/** Runs the bare decoding in a separate process, so that only its CPU time is counted. */
export function startBareDecoder(): BareDecoder {
  const child = fork(new URL('./servers/bare-decoder.ts', import.meta.url))
  return {
    pid: child.pid ?? 0,
    async decode(path, times, sums = 0) {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      const fail = (code: number | null) => reject(new Error(`The bare decoder ended with ${code}.`))
      child.once('message', resolve).once('exit', fail)
      child.send({ path, times, sums })
      await promise.finally(() => child.off('exit', fail))
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}
