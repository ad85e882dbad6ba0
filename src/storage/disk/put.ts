import { fchmod, fstatSync } from 'node:fs'
import { link, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { allDone } from '../../lib/all-done.ts'
import { codeOf, keyTaken } from '../errors.ts'
import type { Folders } from './folders.ts'
import { type Disk, openToSync, refuseBroken, syncOpened } from './sync.ts'

interface Move {
  from: string
  to: string
}

/** Bytes durable first, then the folders, then the names, then the names durable: a power cut leaves no half file. */
export async function moveIn(disk: Disk, folders: Folders, moves: readonly Move[]): Promise<void> {
  await allDone(moves.map(({ from }) => writeOut(disk, from)))

  using held = new DisposableStack()
  const paths = new Set(moves.map(({ to }) => dirname(to)))
  const opened = await allDone([...paths].map(async (path) => held.use(await folders.open(path))))

  const placed: string[] = []
  try {
    const place = async ({ from, to }: Move) => {
      await linkNew(from, to)
      placed.push(to)
    }
    await allDone(moves.map(place))
    await allDone(opened.map((folder) => syncOpened(disk, folder)))
    // Another put may have been told of bytes that this one has lost.
    refuseBroken(disk)
  } catch (error) {
    // A name that stays here belongs to no row, and the sweeper takes it.
    for (const path of placed) await unlink(path).catch(() => {})
    throw error
  }
  // They have their names; one that keeps its temporary name too is swept with the temporary files.
  await Promise.all(moves.map(({ from }) => unlink(from).catch(() => {})))
}

/** Those of the group may read, such as a proxy that sends the bytes itself. */
const storedMode = 0o640
const changeMode = promisify(fchmod)

async function writeOut(disk: Disk, path: string): Promise<void> {
  using opened = await openToSync(path)
  try {
    // Its state is in memory, and mostly right.
    if ((fstatSync(opened.fd).mode & 0o777) !== storedMode) await changeMode(opened.fd, storedMode)
    await syncOpened(disk, opened)
  } catch (error) {
    // Some of its bytes may be lost, and the next fsync would not tell, so it must not be put again.
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
