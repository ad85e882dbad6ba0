import { access, constants, stat, statfs } from 'node:fs/promises'
import { formatSize } from '../../common/format.ts'
import { encryptionKeysPath, requestSecretPath } from '../../control/index.ts'
import { FFMPEG_PACKAGE, type Ffmpeg, findFfmpeg, layerTexts, startImaging } from '../../imaging/index.ts'
import { type Message, message } from '../../lib/messages.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { Preflight } from './check.ts'
import { type ReportFinding, sentences } from './finding.ts'

/** The first version with `await using`. */
const oldestNode = 24
const oldestPostgres = 15

export async function checkVersions({ inspector }: Preflight, report: ReportFinding): Promise<void> {
  const node = process.versions.node
  if (Number.parseInt(node, 10) < oldestNode) {
    const todo = message('useNewerNode', { oldest: oldestNode })
    await report({ isFault: true, ...sentences(message('nodeTooOld', { version: node }), todo) })
  }
  const { kind, version } = inspector
  // SQLite is part of a dependency, and an unsafe version is refused when it is opened.
  if (kind === 'postgres' && Number.parseInt(version, 10) < oldestPostgres) {
    const todo = message('useNewerPostgres', { oldest: oldestPostgres })
    await report({ isFault: false, ...sentences(message('postgresOld', { version }), todo) })
  }
}

const { R_OK, W_OK, X_OK } = constants
const leastBytes = 1_000_000_000

export async function checkDataFolder(
  { config: { dataDir } }: Preflight,
  report: ReportFinding,
): Promise<void> {
  const key = dataDir
  try {
    await access(dataDir, R_OK | W_OK | X_OK)
  } catch {
    await report({ isFault: true, key, ...sentences(message('folderNotWritable'), message('ownFolder')) })
    return
  }
  const { mode } = await stat(dataDir)
  if ((mode & 0o007) !== 0) {
    await report({ isFault: false, key, ...sentences(message('folderOpen'), message('closeFolder')) })
  }
  const { bavail, bsize } = await statfs(dataDir)
  const bytes = bavail * bsize
  if (bytes < leastBytes) {
    const says = message('diskAlmostFull', { bytes, size: formatSize(bytes) })
    await report({ isFault: false, key, ...sentences(says, message('freeSpace')) })
  }
}

export async function checkSecretFiles({ config }: Preflight, report: ReportFinding): Promise<void> {
  const { dataDir, requestSecret, encryptionKeys } = config
  const files = [
    ...(requestSecret === undefined ? [requestSecretPath(dataDir)] : []),
    ...(encryptionKeys === undefined ? [encryptionKeysPath(dataDir)] : []),
  ]
  for (const key of files) {
    const found = await stat(key).catch(() => undefined)
    if (!found) {
      await report({ isFault: true, key, ...sentences(message('secretMissing'), message('restoreSecret')) })
    } else if ((found.mode & 0o077) !== 0) {
      const mode = (found.mode & 0o777).toString(8)
      await report({ isFault: true, key, ...sentences(message('secretOpen', { mode }), 'chmod 600') })
    }
  }
}

/** Names the FFmpeg that extracts frames. A missing one is a warning: videos are accepted without a frame. */
export async function checkFfmpeg(
  { config }: Preflight,
  report: ReportFinding,
): Promise<Message | undefined> {
  const ffmpeg = await findFfmpeg(config.ffmpeg)
  if (ffmpeg !== undefined) return describe(ffmpeg)
  const todo = message('installFfmpeg', { name: FFMPEG_PACKAGE })
  await report({ isFault: false, key: 'FFMPEG_PATH', ...sentences(message('ffmpegMissing'), todo) })
  return undefined
}

const describe = ({ version, from, path }: Ffmpeg): Message =>
  from === 'package'
    ? message('ffmpegOfPackage', { version, name: FFMPEG_PACKAGE })
    : message('ffmpegAt', { version, path, source: from })

/** Starts a decoder as the server does, unless one runs already, and names the sandbox layers that this machine refuses. */
export async function checkDecoders({ imaging }: Preflight, report: ReportFinding): Promise<void> {
  await using own = imaging ? undefined : startImaging({ children: 1 })
  try {
    const confinement = await (imaging ?? own)?.confinement()
    for (const layer of confinement?.missing ?? []) {
      const says = message('decoderUnconfined', { layer, detail: layerTexts[layer] })
      await report({ isFault: false, key: layer, ...sentences(says, message('readAboutSandbox')) })
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const says = message('decodersFail', { fault: String(error.cause ?? error.message).trim() })
    await report({ isFault: true, key: 'decoder', ...sentences(says, message('mendDecoders')) })
  }
}

export async function checkMigrations({ inspector }: Preflight, report: ReportFinding): Promise<void> {
  for (const key of await inspector.pendingControl()) {
    const todo = message('startOrRun', { command: 'tenants database:migrate' })
    await report({ isFault: true, key, ...sentences(message('migrationMissing'), todo) })
  }
}
