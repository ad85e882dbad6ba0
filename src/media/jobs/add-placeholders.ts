import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TransformOptions } from '../../imaging/index.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { JobContext } from '../../scheduling/index.ts'
import type { Site } from '../../site/index.ts'
import { readProven } from '../../storage/index.ts'
import { storedKeysOf } from '../files/file-keys-table.ts'
import { keyOf, noPlaceholder } from '../files/stored-file.ts'
import { lockSite } from '../lock-site.ts'
import { filesWithoutPlaceholder, type UnplacedFile, updatePlaceholder } from './file-rows-table.ts'

/** A killed worker loses this many at most. */
const pageSize = 20

/**
 * Gives placeholders to files of the versions before, which had none, a page at a time. A file of which none can be made is passed over
 * for good. Decodes when nothing else waits for a decoder.
 */
export async function addPlaceholders(site: Site, context: JobContext): Promise<number> {
  for (let count = 0; ; ) {
    const files = await filesWithoutPlaceholder(site.db, pageSize)
    const made: [UnplacedFile, string][] = []
    for (const file of files) {
      if (context.isOver) break
      made.push([file, await placeholderOf(site, context, file)])
    }
    await context.fencedTransaction(async (db) => {
      await lockSite(db)
      for (const [file, placeholder] of made) await updatePlaceholder(db, file, placeholder)
    })
    count += made.filter(([, placeholder]) => placeholder !== noPlaceholder).length
    if (made.length < pageSize) return count
  }
}

/** A placeholder shows less than this. */
const options: TransformOptions = {
  width: 128,
  height: 128,
  fit: 'scale-down',
  position: 'center',
  background: undefined,
  format: 'webp',
  quality: 75,
  isAnimated: false,
}

async function placeholderOf(site: Site, context: JobContext, file: UnplacedFile): Promise<string> {
  const bytes = await smallBytes(site, file)
  if (!bytes) return noPlaceholder
  await using opened = context.openFolder()
  await opened.made
  const { folder } = opened
  const path = join(folder, 'original')
  await writeFile(path, bytes, { mode: 0o644 })
  const request = { tenantKey: String(site.number), outputFolder: folder, options, hasPlaceholder: true }
  try {
    const made = await site.imaging.transform(path, { ...request, isUnhurried: true, signal: context.signal })
    return made.placeholder ?? noPlaceholder
  } catch (error) {
    // The others, such as a full disk, are no fault of the file: the job fails, and goes on later.
    if (error instanceof Refusal && error.kind === 'invalid') return noPlaceholder
    throw error
  }
}

/** Small pictures have no medium, and are decoded as quickly. */
const mostOriginalBytes = 2_000_000

/** A picture in the shape of the file, if there is one: the thumb is cut to a square. Undefined if its bytes are missing or damaged. */
async function smallBytes(site: Site, file: UnplacedFile): Promise<Buffer | undefined> {
  const variantOf = (name: string) => file.variants.find(({ variant }) => variant === name)
  const shaped = variantOf('medium') ?? variantOf('frame')
  const isSmall = file.type === 'image' && file.sizeBytes <= mostOriginalBytes
  const chosen = shaped ?? (isSmall ? undefined : variantOf('thumb'))
  if (!chosen && !isSmall) return undefined
  const key = keyOf(file, chosen)
  const known = storedKeysOf(file).find((each) => each.key === key)
  const bytes = known && (await readProven(site.storage, known))
  return Buffer.isBuffer(bytes) ? bytes : undefined
}
