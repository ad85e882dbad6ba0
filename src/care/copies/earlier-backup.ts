import { join } from 'node:path'
import { readManifest } from './manifest.ts'
import { linesOf } from './part-file.ts'
import { type BytesCopy, bytesPath, filesPath, type SiteCopy, sitesPath } from './site-copy.ts'

/** Bytes of one site in an earlier backup. Both are in the order of ids, so that one pass finds all. */
export interface EarlierBytes extends AsyncDisposable {
  /** To be asked in the order of ids. */
  of(id: string): Promise<Map<string, BytesCopy & { path: string }>>
}

export interface EarlierBackup {
  open(site: number, idKey: string): EarlierBytes
}

export async function openEarlier(folder: string | undefined): Promise<EarlierBackup> {
  if (folder === undefined) return { open: () => noBytes }
  await readManifest(folder)
  const ids = new Map<number, string>()
  for await (const { number, idKey, installedAt } of linesOf<SiteCopy>(folder, sitesPath))
    if (installedAt !== null) ids.set(number, idKey)
  return { open: (site, idKey) => (ids.get(site) === idKey ? bytesOf(folder, site) : noBytes) }
}

const noBytes: EarlierBytes = { of: async () => new Map(), async [Symbol.asyncDispose]() {} }

function bytesOf(folder: string, site: number): EarlierBytes {
  const lines = linesOf<BytesCopy>(folder, filesPath(site))
  let next: IteratorResult<BytesCopy> | undefined
  return {
    async of(id) {
      next ??= await lines.next()
      while (!next.done && next.value.id < id) next = await lines.next()
      const found = new Map<string, BytesCopy & { path: string }>()
      for (; !next.done && next.value.id === id; next = await lines.next()) {
        const { value } = next
        found.set(value.key, { ...value, path: join(folder, bytesPath(site, value.key)) })
      }
      return found
    },
    async [Symbol.asyncDispose]() {
      await lines.return(undefined)
    },
  }
}
