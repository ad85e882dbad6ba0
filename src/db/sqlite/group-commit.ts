/** One statement with its values. */
export interface Statement {
  sql: string
  parameters: readonly unknown[]
}

interface Member {
  statements: readonly Statement[]
  done: PromiseWithResolvers<readonly number[]>
}

/** Bounds the time that the next group waits. */
const mostInGroup = 100

/**
 * Several callers share one commit: while the disk syncs one group, the next one gathers. Each caller's statements are
 * committed together or not at all; the result says how many rows each statement has changed.
 */
export function groupCommit(write: (statements: readonly Statement[]) => Promise<readonly number[]>) {
  const waiting: Member[] = []
  let isWriting = false

  async function writeAll(): Promise<void> {
    isWriting = true
    while (waiting.length > 0) await writeGroup(waiting.splice(0, mostInGroup))
    isWriting = false
  }

  async function writeGroup(group: readonly Member[]): Promise<void> {
    try {
      const changes = await write(group.flatMap(({ statements }) => statements))
      let from = 0
      for (const { statements, done } of group) {
        done.resolve(changes.slice(from, from + statements.length))
        from += statements.length
      }
    } catch (error) {
      // One caller's fault must not fail the others: commit each caller alone.
      if (group.length === 1) group[0]?.done.reject(error)
      else for (const member of group) await writeGroup([member])
    }
  }

  return (statements: readonly Statement[]): Promise<readonly number[]> => {
    const done = Promise.withResolvers<readonly number[]>()
    waiting.push({ statements, done })
    if (!isWriting) void writeAll()
    return done.promise
  }
}
