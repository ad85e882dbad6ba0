const mostKeptBytes = 64 * 1_048_576
const keptWhileUsedMs = 60_000

/**
 * A long answer, made once for each version of what it shows and kept while somebody asks for it.
 * It is made whole before the first byte goes out, so that trouble half-way is an error and not a shorter answer.
 */
export function keptBytes(
  versionNow: () => number,
  make: () => AsyncIterable<string>,
): () => Promise<Buffer> {
  let kept: { version: number; bytes: Buffer } | undefined
  let making: { version: number; bytes: Promise<Buffer> } | undefined
  let forgetting: NodeJS.Timeout | undefined

  const forget = () => {
    kept = undefined
    forgetting = undefined
  }

  return async () => {
    const version = versionNow()
    if (forgetting) forgetting.refresh()
    else forgetting = setTimeout(forget, keptWhileUsedMs).unref()
    if (kept?.version === version) return kept.bytes
    if (making?.version !== version) making = { version, bytes: collect(make()) }
    const { bytes: promise } = making
    try {
      const bytes = await promise
      if (bytes.length <= mostKeptBytes && versionNow() === version) kept = { version, bytes }
      return bytes
    } finally {
      if (making?.bytes === promise) making = undefined
    }
  }
}

async function collect(pieces: AsyncIterable<string>): Promise<Buffer> {
  const buffers: Buffer[] = []
  for await (const piece of pieces) buffers.push(Buffer.from(piece))
  return Buffer.concat(buffers)
}
