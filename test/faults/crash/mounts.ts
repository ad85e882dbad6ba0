import { execFile, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

export const run = promisify(execFile)

/** A folder in which file systems are mounted; all of them are gone with it, however the process ends. */
export interface MountFolder extends AsyncDisposable {
  folder: string
  mount(name: string, ...words: string[]): Promise<string>
  unmount(name: string): Promise<void>
}

/** The name tells whose it is, so that what a killed run left is found by the next one. */
const folderName = `terrace-mounts-${process.pid}-`
const folderForm = /^terrace-mounts-(\d+)-/

export async function openMountFolder(): Promise<MountFolder> {
  freeLeftFolders()
  const folder = await mkdtemp(join(tmpdir(), folderName))
  const freeAll = () => freeMounts((path) => path.startsWith(`${folder}/`))
  const ends = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const end = () => process.exit(1)
  process.once('exit', freeAll)
  // Without a listener a signal ends the process without a word.
  for (const signal of ends) process.once(signal, end)
  return {
    folder,
    async mount(name, ...words) {
      const path = join(folder, name)
      await mkdir(path, { recursive: true })
      await run('mount', [...words, path])
      return path
    },
    unmount: (name) => unmountPatiently(join(folder, name)),
    async [Symbol.asyncDispose]() {
      freeAll()
      process.off('exit', freeAll)
      for (const signal of ends) process.off(signal, end)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Whoever was killed lets go of its files a moment later. */
async function unmountPatiently(path: string): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      await run('umount', [path])
      return
    } catch (error) {
      if (tried === 200) throw error
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

/** Lazily: what is still open there stays until it is closed, but nobody finds it any more. A loop device goes along. */
function freeMounts(isOurs: (path: string) => boolean): void {
  const paths = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
  for (const path of paths.filter(isOurs)) spawnSync('umount', ['-l', path])
}

/** What a run left that was killed. */
function freeLeftFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = folderForm.exec(name)?.[1]
    if (pid === undefined || isRunning(Number(pid))) continue
    const folder = join(tmpdir(), name)
    freeMounts((path) => path.startsWith(`${folder}/`))
    rmSync(folder, { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Why nothing can be mounted here with these words; nothing when it can. */
export async function mountFault(...words: string[]): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'only root can mount'
  try {
    await using mounts = await openMountFolder()
    await mounts.mount('trial', ...words)
    return undefined
  } catch (error) {
    return (error as Error).message.trim()
  }
}
