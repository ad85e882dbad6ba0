import { fchmod, fstatSync } from 'node:fs'
import { link, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { allDone } from '../../lib/concurrency/promises.ts'
import { codeOf, keyTaken } from '../errors.ts'
import type { Folders } from './folders.ts'
import { type Disk, type Opened, openToSync, refuseBroken, syncOpened } from './sync.ts'

interface Move {
  from: string
  to: string
}

/** Syncs the bytes, then creates the folders, then the names, then syncs the names: a power cut leaves no partial file. */
export async function moveIn(
  disk: Disk,
  folders: Folders,
  { moves, isLossy }: { moves: readonly Move[]; isLossy: boolean },
): Promise<void> {
  const sync = async (opened: Opened) => {
    if (!isLossy) await syncOpened(disk, opened)
  }
  await allDone(moves.map(({ from }) => writeOut(disk, from, sync)))

  using handles = new DisposableStack()
  const paths = new Set(moves.map(({ to }) => dirname(to)))
  const opened = await allDone([...paths].map(async (path) => handles.use(await folders.open(path))))

  const linked: string[] = []
  try {
    const putName = async ({ from, to }: Move) => {
      await linkNew(from, to)
      linked.push(to)
    }
    await allDone(moves.map(putName))
    await allDone(opened.map(sync))
    // The fsync of another put may have reported bytes that this one has lost.
    refuseBroken(disk)
  } catch (error) {
    // If this fails, the name is an orphan, which a job removes.
    for (const path of linked) await unlink(path).catch(() => {})
    throw error
  }
  // If this fails, the sweep removes the temporary name.
  await Promise.all(moves.map(({ from }) => unlink(from).catch(() => {})))
}

const changeMode = promisify(fchmod)

async function writeOut(disk: Disk, path: string, sync: (opened: Opened) => Promise<void>): Promise<void> {
  using opened = await openToSync(path)
  try {
    // Synchronous: an open file's mode is in memory, and it is usually right already.
    const { file: mode } = disk.modes
    if ((fstatSync(opened.fd).mode & 0o777) !== mode) await changeMode(opened.fd, mode)
    await sync(opened)
  } catch (error) {
    // Bytes may be lost, and the next fsync would not report it: the file must not be put again.
    await unlink(path).catch(() => {})
    throw error
  }
}

/** A hard link never replaces a file, as a rename would. */
async function linkNew(from: string, to: string): Promise<void> {
  await link(from, to).catch((error) => {
    throw codeOf(error) === 'EEXIST' ? keyTaken() : error
  })
}
