import { allDone } from '../concurrency/promises.ts'

interface ReadingAhead {
  sizeBytes: number
  /** Filled one after the other. */
  buffers: readonly Buffer[]
  /** Returns how many bytes were read; 0 at the end. */
  read(into: Buffer, position: number): Promise<number>
  /** Called in order. The chunk is overwritten once this resolves. */
  use(chunk: Buffer): Promise<unknown>
}

/** While one buffer is used the next one is filled. Returns how many bytes were read. */
export async function readAhead({ sizeBytes, buffers, read, use }: ReadingAhead): Promise<number> {
  const uses: Promise<unknown>[] = []
  try {
    for (let done = 0, turn = 0; done < sizeBytes; turn = (turn + 1) % buffers.length) {
      await uses[turn]
      const into = buffers[turn]?.subarray(0, sizeBytes - done)
      const filled = into ? await fill(into, (rest, from) => read(rest, done + from)) : 0
      if (!into || filled === 0) return done
      const used = use(into.subarray(0, filled))
      // It is awaited before its buffer is filled again, and at the end.
      used.catch(() => undefined)
      uses[turn] = used
      done += filled
    }
    return sizeBytes
  } finally {
    // After this nothing uses the buffers.
    await allDone(uses)
  }
}

/** A read may return fewer bytes than there are. */
async function fill(into: Buffer, read: (rest: Buffer, from: number) => Promise<number>): Promise<number> {
  for (let done = 0; done < into.length; ) {
    const bytesRead = await read(into.subarray(done), done)
    if (bytesRead === 0) return done
    done += bytesRead
  }
  return into.length
}
