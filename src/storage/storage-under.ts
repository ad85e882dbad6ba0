import { checkKey } from './keys.ts'
import type { Storage } from './storage.ts'

/** One folder of a storage, seen as a storage of its own: nothing outside of it can be named. */
export function storageUnder(storage: Storage, folder: string): Storage {
  checkKey(folder)
  const inside = (key: string) => `${folder}/${key}`
  const insideFolder = (name: string) => (name === '' ? folder : inside(name))
  const { localPath, open, statAtOnce } = storage
  return {
    kind: storage.kind,
    put: (batch) => storage.put(batch.map(({ key, path }) => ({ key: inside(key), path }))),
    read: (key, range) => storage.read(inside(key), range),
    ...(open && { open: (key: string) => open(inside(key)) }),
    stat: (key) => storage.stat(inside(key)),
    ...(statAtOnce && { statAtOnce: (key: string) => statAtOnce(inside(key)) }),
    remove: (keys) => storage.remove(keys.map(inside)),
    async list(name, after, limit) {
      const entries = await storage.list(insideFolder(name), after && inside(after), limit)
      return entries.map((entry) => ({ ...entry, key: entry.key.slice(folder.length + 1) }))
    },
    removeAll: (name) => storage.removeAll(insideFolder(name)),
    // Its own rule is age, so that it is asked once for all folders.
    removeUnfinished: (before) => storage.removeUnfinished(before),
    check: () => storage.check(),
    ...(localPath && { localPath: (key: string) => localPath(inside(key)) }),
    // The storage belongs to whoever opened it.
    async [Symbol.asyncDispose]() {},
  }
}
