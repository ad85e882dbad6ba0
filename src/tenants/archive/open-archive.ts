import { type FileHandle, open } from 'node:fs/promises'
import { tableSteps, takesRowsOf } from '../../db/index.ts'
import { HashThreads } from '../../lib/concurrency/hash-threads.ts'
import { isIsoTime } from '../../lib/times.ts'
import {
  type ArchiveHead,
  archivedTables,
  formatName,
  formatVersion,
  isEntryName,
  manifestName,
  nameOfTable,
  secretsName,
  type TenantLine,
  tenantName,
} from './archive-format.ts'
import { EntryIndex } from './entry-index.ts'
import { brokenArchive, noArchive } from './errors.ts'
import { type ArchiveSource, linesOf, sumsOfBody, type TarEntry, tarEntries } from './read-tar.ts'

export interface OpenedArchive extends AsyncDisposable {
  source: ArchiveSource
  head: ArchiveHead
  tenant: TenantLine
  /** Whether its tables are those of this version. */
  isOfToday: boolean
  tables: ReadonlyMap<string, TarEntry>
  index: EntryIndex
}

/** Reads an archive but for its stored bytes: names and lengths of all entries, and the sums of the rows, are those of its manifest. */
export async function openArchive(path: string): Promise<OpenedArchive> {
  const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw noArchive(path, error.code === 'ENOENT' ? 'there is no such file' : error.message)
  })
  try {
    const found = await handle.stat()
    if (!found.isFile()) throw noArchive(path, 'it is not a file')
    const source = { handle, sizeBytes: found.size }
    const { tables, index, manifest, bytes } = await readEntries(source)
    const head = await checkManifest(source, manifest, { index, bytes })
    await checkTables(source, tables, index)
    const tenant = await readTenantLine(source, tables, head)
    return {
      source,
      head,
      tenant,
      isOfToday: isOfToday(tenant),
      tables,
      index,
      [Symbol.asyncDispose]: () => closed(handle),
    }
  } catch (error) {
    await handle.close()
    throw error
  }
}

const isOfToday = ({ steps }: TenantLine) => new Set(tableSteps).isSubsetOf(new Set(steps))

const closed = (handle: FileHandle) => handle.close()

async function readEntries(source: ArchiveSource) {
  const tables = new Map<string, TarEntry>()
  const index = new EntryIndex()
  let manifest: TarEntry | undefined
  let bytes = 0
  for await (const entry of tarEntries(source)) {
    const { name, sizeBytes } = entry
    if (manifest)
      throw brokenArchive(shown(name), `it comes after ${manifestName}, which must be the last entry`)
    if (!isEntryName(name)) throw brokenArchive(shown(name), 'an archive has no entry of this name')
    if (name === manifestName) {
      manifest = entry
      continue
    }
    if (!index.add(name, sizeBytes)) throw brokenArchive(name, 'it is in the archive twice')
    if (isTable(name)) tables.set(name, entry)
    bytes += sizeBytes
  }
  if (!manifest) throw brokenArchive(manifestName, 'it is missing')
  return { tables, index, manifest, bytes }
}

async function checkTables(
  source: ArchiveSource,
  tables: ReadonlyMap<string, TarEntry>,
  index: EntryIndex,
): Promise<void> {
  await using threads = new HashThreads()
  for (const entry of tables.values()) {
    const [sha256] = await sumsOfBody(source, entry, { threads, algorithms: ['sha256'] })
    if (!sha256 || !index.find(entry.name)?.sha256.equals(sha256)) throw otherSum(entry.name)
  }
}

const isTable = (name: string) => name.startsWith('tables/')

export const otherSum = (name: string) => brokenArchive(name, 'its SHA-256 is not that of the manifest')

/** A name of a stranger, on one line. */
const shown = (name: string) => JSON.stringify(name.slice(0, 1_000)).slice(1, -1)

async function checkManifest(
  source: ArchiveSource,
  manifest: TarEntry,
  { index, bytes }: { index: EntryIndex; bytes: number },
): Promise<ArchiveHead> {
  let head: ArchiveHead | undefined
  let listed = 0
  for await (const line of linesOf(source, manifest)) {
    if (!head) {
      head = headOf(line)
      continue
    }
    const { name, size, sha256 } = line
    if (typeof name !== 'string' || typeof size !== 'number' || typeof sha256 !== 'string')
      throw brokenArchive(manifestName, `its line ${listed + 2} names no entry`)
    const entry = index.find(name)
    if (!entry) throw brokenArchive(shown(name), 'the manifest names it, but it is missing')
    if (!entry.mark('listed')) throw brokenArchive(shown(name), 'the manifest names it twice')
    if (entry.sizeBytes !== size)
      throw brokenArchive(shown(name), `it has ${entry.sizeBytes} bytes, and ${size} by the manifest`)
    if (!/^[0-9a-f]{64}$/.test(sha256)) throw otherSum(name)
    entry.setSha256(Buffer.from(sha256, 'hex'))
    listed += 1
  }
  if (!head) throw brokenArchive(manifestName, 'it is empty')
  if (listed < index.count) {
    const extra = await firstWithout(source, index, 'listed')
    throw brokenArchive(extra, 'the manifest does not name it')
  }
  if (head.entries !== listed)
    throw brokenArchive(manifestName, `its first line says ${head.entries} entries, and there are ${listed}`)
  if (head.bytes !== bytes)
    throw brokenArchive(manifestName, `its first line says ${head.bytes} bytes, and there are ${bytes}`)
  return head
}

/** Names were not kept, so they are read again. */
export async function firstWithout(
  source: ArchiveSource,
  index: EntryIndex,
  mark: 'listed' | 'named',
): Promise<string> {
  for await (const { name } of tarEntries(source))
    if (name !== manifestName && !index.has(name, mark) && !(mark === 'named' && isTable(name))) return name
  throw new Error('Every entry has this mark.')
}

function headOf(line: Readonly<Record<string, unknown>>): ArchiveHead {
  const { format, version, id, hostname, created_at, has_secrets, entries, bytes } = line
  if (format !== formatName)
    throw brokenArchive(manifestName, `its format is ${shownValue(format)}, not "${formatName}"`)
  if (version !== formatVersion)
    throw brokenArchive(
      manifestName,
      `its version is ${shownValue(version)}, and this version of Terrace reads ${formatVersion}`,
    )
  const isWhole =
    typeof id === 'string' &&
    typeof hostname === 'string' &&
    typeof created_at === 'string' &&
    typeof has_secrets === 'boolean' &&
    Number.isSafeInteger(entries) &&
    Number.isSafeInteger(bytes)
  if (!isWhole) throw brokenArchive(manifestName, 'a member of its first line is missing or has another type')
  return { format, version, id, hostname, created_at, has_secrets, entries, bytes } as ArchiveHead
}

const shownValue = (value: unknown) => JSON.stringify(value)?.slice(0, 80) ?? 'missing'

async function readTenantLine(
  source: ArchiveSource,
  tables: ReadonlyMap<string, TarEntry>,
  head: ArchiveHead,
): Promise<TenantLine> {
  const entry = tables.get(tenantName)
  if (!entry) throw brokenArchive(tenantName, 'it is missing')
  const lines: Readonly<Record<string, unknown>>[] = []
  for await (const line of linesOf(source, entry)) {
    lines.push(line)
    if (lines.length > 1) break
  }
  const [line] = lines
  if (!line || lines.length !== 1 || !isTenantLine(line))
    throw brokenArchive(tenantName, 'it is not the one line of a tenant')
  if (!takesRowsOf(line.steps)) {
    const isNewer = !new Set(line.steps).isSubsetOf(new Set(tableSteps))
    throw brokenArchive(tenantName, `it was made by ${isNewer ? 'a newer' : 'an older'} version of Terrace`)
  }
  const missing = archivedTables.map(nameOfTable).find((name) => !tables.has(name))
  if (isOfToday(line) && missing !== undefined) throw brokenArchive(missing, 'it is missing')
  if (tables.has(secretsName) !== head.has_secrets)
    throw brokenArchive(
      secretsName,
      head.has_secrets ? 'it is missing' : 'the manifest says that the archive has no secrets',
    )
  return line
}

function isTenantLine(line: object): line is TenantLine {
  const { isEnabled, limits, createdAt, installedAt, steps, ...others } = line as Record<string, unknown>
  return (
    typeof isEnabled === 'boolean' &&
    typeof limits === 'object' &&
    limits !== null &&
    Object.values(limits).every((value) => typeof value === 'string') &&
    [createdAt, installedAt].every((at) => typeof at === 'string' && isIsoTime(at)) &&
    Array.isArray(steps) &&
    steps.length <= 1_000 &&
    steps.every((step) => typeof step === 'string') &&
    Object.keys(others).length === 0
  )
}
