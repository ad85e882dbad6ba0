import { access, constants, stat, statfs } from 'node:fs/promises'
import { formatSize } from '../../common/format.ts'
import { encryptionKeysPath, requestSecretPath } from '../../control/index.ts'
import { FFMPEG_PACKAGE, type Ffmpeg, findFfmpeg, layerTexts, startImaging } from '../../imaging/index.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { Preflight } from './check.ts'
import type { ReportFinding } from './finding.ts'

/** The first version with `await using`. */
const oldestNode = 24
const oldestPostgres = 15

export async function checkVersions({ inspector }: Preflight, report: ReportFinding): Promise<void> {
  const node = process.versions.node
  if (Number.parseInt(node, 10) < oldestNode) {
    const todo = `Use bin/terrace, which installs its own Node, or Node ${oldestNode} or later.`
    await report({ isFault: true, says: `Node ${node} is too old.`, todo })
  }
  const { kind, version } = inspector
  // SQLite is part of a dependency, and an unsafe version is refused when it is opened.
  if (kind === 'postgres' && Number.parseInt(version, 10) < oldestPostgres) {
    const says = `The server is PostgreSQL ${version}, older than the tested versions.`
    await report({ isFault: false, says, todo: `Use PostgreSQL ${oldestPostgres} or later.` })
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
    const says = 'This account cannot write to the data folder.'
    await report({
      isFault: true,
      key,
      says,
      todo: 'Make the account of the server its owner, with mode 0750.',
    })
    return
  }
  const { mode } = await stat(dataDir)
  if ((mode & 0o007) !== 0) {
    const says = 'Every account of this machine can read the data folder.'
    await report({ isFault: false, key, says, todo: 'Set its mode to 0750.' })
  }
  const { bavail, bsize } = await statfs(dataDir)
  if (bavail * bsize < leastBytes) {
    const says = `The disk has only ${formatSize(bavail * bsize)} of free space.`
    await report({
      isFault: false,
      key,
      says,
      todo: 'Free some space: on a full disk every change is refused.',
    })
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
      const todo = 'Restore the file, or set the secret in the environment.'
      await report({ isFault: true, key, says: 'The secret is missing.', todo })
    } else if ((found.mode & 0o077) !== 0) {
      const mode = (found.mode & 0o777).toString(8)
      await report({
        isFault: true,
        key,
        says: `The mode is ${mode}: other accounts can read the file.`,
        todo: 'chmod 600',
      })
    }
  }
}

/** Names the FFmpeg that extracts frames. A missing one is a warning: videos are accepted without a frame. */
export async function checkFfmpeg({ config }: Preflight, report: ReportFinding): Promise<string | undefined> {
  const ffmpeg = await findFfmpeg(config.ffmpeg)
  if (ffmpeg !== undefined) return `FFmpeg ${ffmpeg.version} ${sourceOf(ffmpeg)}`
  const says = 'FFmpeg is missing: videos get no frame, thumb or medium.'
  const todo = `Install the package ${FFMPEG_PACKAGE} or ffmpeg, or set FFMPEG_PATH.`
  await report({ isFault: false, key: 'FFMPEG_PATH', says, todo })
  return undefined
}

function sourceOf({ from, path }: Ffmpeg): string {
  return from === 'package' ? `of the package ${FFMPEG_PACKAGE}` : `at ${path} (${from})`
}

/** Starts a decoder as the server does, unless one runs already, and names the sandbox layers that this machine refuses. */
export async function checkDecoders({ imaging }: Preflight, report: ReportFinding): Promise<void> {
  await using own = imaging ? undefined : startImaging({ children: 1 })
  try {
    const confinement = await (imaging ?? own)?.confinement()
    for (const layer of confinement?.missing ?? []) {
      const says = `A decoder ${layerTexts[layer]}, because this machine refuses the sandbox layer.`
      await report({ isFault: false, key: layer, says, todo: advice })
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const says = `Decoders do not start: ${String(error.cause ?? error.message).trim()}`
    await report({
      isFault: true,
      key: 'decoder',
      says,
      todo: 'Fix the cause: uploads are refused until a decoder starts.',
    })
  }
}

const advice = 'See "Sandbox of decoders" in docs/operations.md.'

export async function checkMigrations({ inspector }: Preflight, report: ReportFinding): Promise<void> {
  for (const key of await inspector.pendingControl()) {
    const says = 'The control tables lack this migration.'
    await report({ isFault: true, key, says, todo: 'Start the server, or run: tenants database:migrate' })
  }
}
