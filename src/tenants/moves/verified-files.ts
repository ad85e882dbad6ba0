import { createReadStream } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** The ids and revisions of the files whose copies a move has verified: a list on disk, since a site may have millions. */
export interface VerifiedFiles {
  /** Starts a pass over all files in the order of their ids: it reads the list of the previous pass and writes a new one. */
  startPass(): Promise<VerificationPass>
}

export interface VerificationPass extends AsyncDisposable {
  /** Must be called in the order of ids. */
  has(id: string): Promise<boolean>
  /** Writes those files of a page that `has` has found or that were verified in this pass. */
  add(page: readonly string[], verified: readonly string[]): Promise<void>
  /** Makes this pass's list the valid one. */
  complete(): Promise<void>
}

/** The list lies in the folder of the move and is removed with it: a repeated move verifies every file again. */
export function openVerifiedFiles(folder: string): VerifiedFiles {
  let passes = 0
  let current: string | undefined
  return {
    async startPass() {
      passes += 1
      const previous = current
      const path = join(folder, `proven-${passes}`)
      const file = await open(path, 'wx', 0o600)
      const lines = previous === undefined ? noLines() : linesOf(previous)
      return passOver(file, lines, async () => {
        current = path
        if (previous !== undefined) await rm(previous, { force: true })
      })
    },
  }
}

function passOver(
  file: FileHandle,
  lines: AsyncGenerator<string>,
  onComplete: () => Promise<void>,
): VerificationPass {
  let next: IteratorResult<string> | undefined
  let found = new Set<string>()
  return {
    async has(id) {
      next ??= await lines.next()
      while (!next.done && next.value < id) next = await lines.next()
      if (next.done || next.value !== id) return false
      found.add(id)
      return true
    },
    async add(page, verified) {
      const all = new Set([...found, ...verified])
      found = new Set()
      const text = page.flatMap((id) => (all.has(id) ? [`${id}\n`] : [])).join('')
      if (text !== '') await file.writeFile(text)
    },
    complete: onComplete,
    async [Symbol.asyncDispose]() {
      await lines.return(undefined)
      await file.close()
    },
  }
}

async function* noLines(): AsyncGenerator<string> {}

async function* linesOf(path: string): AsyncGenerator<string> {
  const input = createReadStream(path)
  try {
    yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
  } finally {
    input.destroy()
  }
}
