import { chmodSync, chownSync, lstatSync, readdirSync } from 'node:fs'
import { chmod, copyFile, link, lstat, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { patchFile } from '../../lib/files/file-threads.ts'
import { keepAlive } from '../../lib/files/live-entries.ts'
import type { Examined, ExamineJob, FileJob, Transformed } from './job.ts'
import { ForgedAnswer } from './read-answer.ts'

/** The folder of one decoder process. The sandbox allows no other folder, and this one contains only the current job. */
export interface WorkFolder {
  path: string
  /** The user id of the decoder, if it differs from the server's. */
  ownId: number | undefined
  /** Tells other servers on the same data folder that the folder is in use. */
  heartbeat: Disposable
}

const JOB = 'job'

/** Contains the work folders. On the file system of the spool, so that files are renamed and not copied. */
export const decoderFolder = (dataDir: string): string => join(dataDir, 'decoders')

export async function makeWorkFolder(root: string, ownId: number | undefined): Promise<WorkFolder> {
  await mkdir(root, { recursive: true, mode: 0o700 })
  const path = await mkdtemp(join(root, 'decoder-'))
  // Decoders and ffmpeg run under their own user id. Mode 0777 opens the folder to no one else, because `root` has mode 0700.
  if (ownId !== undefined) await chmod(path, 0o777)
  return { path, ownId, heartbeat: keepAlive(path) }
}

/** Whether a job has left nothing for the next one, which may be another tenant's. */
export function isEmpty({ path }: WorkFolder): boolean {
  try {
    return readdirSync(path).length === 0
  } catch {
    return false
  }
}

/** A job whose files are in a decoder's work folder. */
export interface StagedJob<J extends FileJob> {
  job: J
  /** Moves the files back, out of the decoder's reach. */
  takeBack(): Promise<void>
}

/** Moves the job's output folder into the decoder's folder, and the file too if it is outside of the output folder. */
export async function stageJob<J extends FileJob>(folder: WorkFolder, original: J): Promise<StagedJob<J>> {
  const { outputFolder } = original
  const inside = join(folder.path, JOB)
  const isMoved = await moveFolder(outputFolder, inside)
  const isWithin = isMoved && dirname(original.path) === outputFolder
  const path = join(inside, basename(original.path))
  if (!isWithin) await link(original.path, path).catch(() => copyFile(original.path, path))
  if (folder.ownId !== undefined) grantAccess(inside, path)

  return {
    job: { ...original, path, outputFolder: inside },
    async takeBack() {
      if (!isWithin) await rm(path, { force: true })
      if (isMoved) await rename(inside, outputFolder)
      else await copyBack(inside, outputFolder)
    },
  }
}

/** False if the spool is on another file system than the work folder: then files are copied. */
async function moveFolder(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    await mkdir(to, { mode: 0o700 })
    return false
  }
}

async function copyBack(inside: string, outputFolder: string): Promise<void> {
  for (const name of await readdir(inside)) {
    const isFile = (await lstat(join(inside, name))).isFile()
    if (isFile) await copyFile(join(inside, name), join(outputFolder, name))
  }
  await rm(inside, { recursive: true, force: true })
}

/**
 * Lets the decoder's user id write to the folder and read the file, which the server still owns. Synchronous here and in
 * `claimFile`: a chmod takes microseconds, and handing it to the thread pool takes ten times as long.
 */
function grantAccess(folder: string, path: string): void {
  chmodSync(folder, 0o777)
  const { mode } = lstatSync(path)
  if ((mode & 0o004) === 0) chmodSync(path, (mode & 0o777) | 0o004)
}

interface ClaimOptions {
  original: FileJob
  ownId: number | undefined
}

/** Checks every path in a decoder's answer, and makes the server the owner of the files. */
export function claimFiles(examined: Examined, options: ClaimOptions): Examined {
  const { original } = options
  const claimed = <T extends { path: string; sizeBytes: number }>(file: T): T => ({
    ...file,
    path: claimFile(file, options),
  })
  const { file } = examined
  const source = join(JOB, basename(original.path))
  const isSource = file.isUnchanged || file.patches !== undefined
  if (isSource && file.path !== source) throw forged(file.path)
  if (file.patches && lstatSync(original.path).size !== file.sizeBytes) throw forged(file.path)
  const own = isSource ? { ...file, path: original.path } : claimed(file)
  const thumb = examined.thumb && claimed(examined.thumb)
  const medium = examined.medium && claimed(examined.medium)
  if (examined.type === 'image') return { ...examined, file: own, thumb: thumb ?? examined.thumb, medium }
  const frame = examined.frame && claimed(examined.frame)
  return { ...examined, file: own, thumb, medium, frame }
}

export const claimDerived = (made: Transformed, options: ClaimOptions): Transformed => ({
  ...made,
  path: claimFile(made, options),
})

/** Changes the uploaded file as the decoder has answered; a copy of it if it is outside of the output folder. */
export async function patchSource(examined: Examined, { outputFolder }: ExamineJob): Promise<Examined> {
  const { patches, ...file } = examined.file
  if (patches === undefined) return examined
  const isWithin = dirname(file.path) === outputFolder
  const path = isWithin ? file.path : join(outputFolder, `file.${file.extensions[0]}`)
  if (!isWithin) await copyFile(file.path, path)
  const md5 = await patchFile(
    path,
    patches.map(({ at, base64 }) => ({ at, bytes: Buffer.from(base64, 'base64') })),
  )
  return { ...examined, file: { ...file, path, md5 } }
}

/** Output files have a plain name with an extension, directly in the job's folder. */
const OUTPUT_PATH = /^job\/[a-z]+\.[a-z0-9]+$/

function claimFile(
  { path, sizeBytes }: { path: string; sizeBytes: number },
  { original, ownId }: ClaimOptions,
): string {
  if (!OUTPUT_PATH.test(path)) throw forged(path)
  const claimed = join(original.outputFolder, basename(path))
  const found = lstatSync(claimed, { throwIfNoEntry: false })
  if (!found?.isFile() || found.nlink !== 1 || found.size !== sizeBytes) throw forged(path)
  if (ownId !== undefined) chownSync(claimed, process.getuid?.() ?? 0, process.getgid?.() ?? 0)
  return claimed
}

const forged = (path: string) =>
  new ForgedAnswer(`the decoder answered with the path ${path.slice(0, 200)}, which is not an output file`)
