import { access, constants, stat, statfs } from 'node:fs/promises'
import { formatSize } from '../../lib/sizes.ts'
import type { Preflight } from './check.ts'
import type { Note } from './finding.ts'

const { R_OK, W_OK, X_OK } = constants
const leastBytes = 1_000_000_000

export async function checkDataFolder({ config: { dataDir } }: Preflight, note: Note): Promise<void> {
  const key = dataDir
  try {
    await access(dataDir, R_OK | W_OK | X_OK)
  } catch {
    const says = 'This account cannot write to the data folder.'
    await note({ isFault: true, key, says, todo: 'Give it to the account of the server, mode 0750.' })
    return
  }
  const { mode } = await stat(dataDir)
  if ((mode & 0o007) !== 0) {
    const says = 'Every account of this machine can look into the data folder.'
    await note({ isFault: false, key, says, todo: 'Close it to others: mode 0750.' })
  }
  const { bavail, bsize } = await statfs(dataDir)
  if (bavail * bsize < leastBytes) {
    const says = `Only ${formatSize(bavail * bsize)} are left on its disk.`
    await note({ isFault: false, key, says, todo: 'Make room: a full disk refuses every change.' })
  }
}
