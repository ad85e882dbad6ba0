import { join } from 'node:path'
import { readManifest } from '../backup-format/manifest.ts'
import { hasDigest, linesOf } from '../backup-format/part-file.ts'
import { type BytesCopy, bytesPath, filesPath, type SiteCopy, sitesPath } from '../backup-format/site-copy.ts'

/** The bytes of one site in an earlier backup. Both lists are ordered by id, so one pass finds all. */
export interface EarlierBytes extends AsyncDisposable {
  /** Must be called in the order of ids. */
  of(id: string): Promise<Map<string, BytesCopy & { path: string }>>
}

export interface EarlierBackup {
  open(site: number, idKey: string): Promise<EarlierBytes>
  /** Lists in it that have changed since they were written: nothing that they name is linked. */
  readonly changed: readonly string[]
}

export async function openEarlier(folder: string | undefined): Promise<EarlierBackup> {
  if (folder === undefined) return { open: async () => noBytes, changed: [] }
  const manifest = await readManifest(folder)
  const parts = new Map(manifest.parts.map((part) => [part.path, part]))
  const changed: string[] = []
  /** The checksums of a changed list must not get into the new backup. */
  const isUnchanged = async (path: string) => {
    const part = parts.get(path)
    if (part && (await hasDigest(join(folder, path), part))) return true
    changed.push(path)
    return false
  }
  const ids = new Map<number, string>()
  if (await isUnchanged(sitesPath)) {
    for await (const { number, idKey, installedAt } of linesOf<SiteCopy>(folder, sitesPath))
      if (installedAt !== null) ids.set(number, idKey)
  }
  return {
    changed,
    async open(site, idKey) {
      const isKnown = ids.get(site) === idKey && (await isUnchanged(filesPath(site)))
      return isKnown ? bytesOf(folder, site) : noBytes
    },
  }
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
