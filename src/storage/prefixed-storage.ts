import { checkKey } from './keys.ts'
import type { Storage } from './storage.ts'

/** One folder of a storage as a storage of its own: no key outside of the folder can be named. */
export function prefixedStorage(storage: Storage, folder: string): Storage {
  checkKey(folder)
  const inside = (key: string) => `${folder}/${key}`
  const insideFolder = (name: string) => (name === '' ? folder : inside(name))
  const { localPath, open, readers, statSync } = storage
  return {
    kind: storage.kind,
    ...(readers && { readers }),
    put: (batch, options) =>
      storage.put(
        batch.map(({ key, path }) => ({ key: inside(key), path })),
        options,
      ),
    read: (key, range) => storage.read(inside(key), range),
    ...(open && { open: (key: string) => open(inside(key)) }),
    stat: (key) => storage.stat(inside(key)),
    ...(statSync && { statSync: (key: string) => statSync(inside(key)) }),
    remove: (keys) => storage.remove(keys.map(inside)),
    async list(name, after, limit) {
      const entries = await storage.list(insideFolder(name), after && inside(after), limit)
      return entries.map((entry) => ({ ...entry, key: entry.key.slice(folder.length + 1) }))
    },
    removeAll: (name) => storage.removeAll(insideFolder(name)),
    removeUnfinished: (name, silentSince) => storage.removeUnfinished(insideFolder(name), silentSince),
    check: () => storage.check(),
    ...(localPath && { localPath: (key: string) => localPath(inside(key)) }),
    // The underlying storage is disposed by the code that opened it.
    async [Symbol.asyncDispose]() {},
  }
}
