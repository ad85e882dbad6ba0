import { copyFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openMountFolder, run } from './mounts.ts'

/** A disk whose power can be cut. */
export interface CutDisk extends AsyncDisposable {
  /** Where it is mounted. */
  path: string
  mount(): Promise<void>
  unmount(): Promise<void>
  /** From now on every access fails, and what was not made durable is lost. */
  cut(): Promise<void>
  /** Keeps the unmounted disk as it is now, and brings that state back. */
  keep(): Promise<void>
  restore(): Promise<void>
}

export async function openCutDisk({ sizeBytes }: { sizeBytes: number }): Promise<CutDisk> {
  await using undo = new AsyncDisposableStack()
  const mounts = undo.use(await openMountFolder())
  const [image, kept, cutter] = ['disk.img', 'kept.img', 'shutdown'].map((name) => join(mounts.folder, name))
  await run('cc', ['-o', `${cutter}`, fileURLToPath(new URL('./shutdown.c', import.meta.url))])
  await writeFile(`${image}`, '')
  await truncate(`${image}`, sizeBytes)
  await run('mkfs.ext4', ['-q', '-F', `${image}`])
  const path = join(mounts.folder, 'disk')
  const all = undo.move()
  return {
    path,
    mount: async () => void (await mounts.mount('disk', '-o', 'loop', `${image}`)),
    unmount: () => mounts.unmount('disk'),
    cut: async () => void (await run(`${cutter}`, [path])),
    keep: () => copyFile(`${image}`, `${kept}`),
    async restore() {
      await rm(`${image}`)
      await copyFile(`${kept}`, `${image}`)
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** Why power cannot be cut here; nothing when it can. */
export async function powerFault(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'only root can mount'
  try {
    await using disk = await openCutDisk({ sizeBytes: 8_000_000 })
    await disk.mount()
    await disk.cut()
    await disk.unmount()
    await disk.mount()
    return undefined
  } catch (error) {
    return (error as Error).message.trim()
  }
}
