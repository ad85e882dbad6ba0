import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, cp, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { getCompileCacheDir } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { removeOldEntries } from '../../lib/files/live-entries.ts'

const HERE = fileURLToPath(new URL('../', import.meta.url))
const PACKAGES = fileURLToPath(new URL('../../../node_modules/.package-lock.json', import.meta.url))
/** Written by build.mjs whenever the bundle changes. */
const BUNDLE_STAMP = '.sources'
const run = promisify(execFile)
/** An older version is used only by servers that have not restarted since the upgrade. */
const UNUSED_MS = 7 * 86_400_000

interface CompileOptions {
  worker: string
  /** Must be those of the children: Node ignores code that was compiled under other flags. */
  flags: readonly string[]
  environment: Readonly<Record<string, string>>
  /** The user id of the children, which must be able to read the cache. */
  ownId: number
}

/**
 * A folder with the compiled code of the children: with it a child starts in 170 ms of CPU instead of 420. It is written by a
 * process that reads no upload, and read-only for children: code that one of them wrote would run in the next.
 */
export async function compileWorker(options: CompileOptions): Promise<string | undefined> {
  const root = getCompileCacheDir()
  if (root === undefined) return undefined
  const all = join(root, 'of-decoders')
  try {
    const folder = join(all, await versionOf(options.worker))
    if (!(await exists(folder))) await fill(all, folder, options)
    return folder
  } catch {
    // The folder is not writable: children start without the cache.
    return undefined
  }
}

async function fill(all: string, folder: string, options: CompileOptions): Promise<void> {
  const { worker, flags, environment, ownId } = options
  await mkdir(all, { recursive: true, mode: 0o755 })
  await removeOldEntries(all, { olderThanMs: UNUSED_MS })
  const draft = await mkdtemp(join(all, 'draft-'))
  const env = { ...environment, NODE_COMPILE_CACHE: draft }
  await run(process.execPath, [...flags, worker, '--compile'], { env, cwd: '/', timeout: 60_000 })
  await chmod(draft, 0o755)
  // Node appends the user id to the folder's name, so a copy is made for the children's user id.
  const own = `-${process.getuid?.() ?? 0}`
  for (const name of (await readdir(draft)).filter((each) => each.endsWith(own))) {
    const copy = join(draft, `${name.slice(0, -own.length)}-${ownId}`)
    await cp(join(draft, name), copy, { recursive: true })
    await chmod(copy, 0o755)
    for (const file of await readdir(copy)) await chmod(join(copy, file), 0o644)
  }
  // Another server may have created it in the meantime.
  await rename(draft, folder).catch(() => rm(draft, { recursive: true, force: true }))
}

/** Changes with the code, so that a finished folder is never written to again. */
async function versionOf(worker: string): Promise<string> {
  // A bundle has a sum of its sources, which is read faster than its 300 files are looked at.
  const isBundle = await exists(join(HERE, BUNDLE_STAMP))
  const sources = isBundle ? [BUNDLE_STAMP] : await readdir(HERE, { recursive: true })
  const paths = [...sources.map((name) => join(HERE, name)), worker, PACKAGES]
  const hash = createHash('sha256').update(process.version)
  for (const path of paths.sort()) {
    const found = await stat(path).catch(() => undefined)
    hash.update(`${path} ${found?.size} ${found?.mtimeMs}\n`)
  }
  return hash.digest('hex').slice(0, 32)
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
