import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { ZipFile } from 'yazl'
import { slugOf } from '../../../http/addresses/file-addresses.ts'
import { takeReaderSlot } from '../../../http/connection/reader-slots.ts'
import { checkTrafficLeft } from '../../../http/suspended-sites.ts'
import { fileNameOf, keyOf, type StoredFile } from '../../../media/index.ts'
import { openKnownBytes } from '../../../storage/index.ts'
import type { PageCall } from '../../page-call.ts'

/** More would take too long to be one download, and too much memory for their names. */
export const mostZipped = 10_000

interface Zip {
  name: string
  files: readonly StoredFile[]
  /** A text file beside the files, such as a list of them by the names that they have in the zip. */
  list?: { name: string; text: (named: readonly NamedFile[]) => string }
  /** Users take their own files with them, even if the traffic of the month is used up. */
  isExport?: boolean
}

export interface NamedFile {
  /** In the zip. */
  name: string
  file: StoredFile
}

/**
 * Streams files as a zip, one after the other, stored and not compressed: pictures and videos are compressed already. So its
 * length is known before the first byte. If a file cannot be read the download breaks off, which every client notices.
 */
export async function sendZip(call: PageCall, { name, files, list, isExport }: Zip): Promise<FastifyReply> {
  const { app, site, request, reply } = call
  if (!isExport) checkTrafficLeft(app, site)
  // Before its headers are set: a refusal has others.
  if (request.method !== 'HEAD') await takeReaderSlot(app, site.storage, reply)
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  let current: Readable | undefined
  const named = withNames(files, list ? [list.name] : [])
  for (const { name: path, file } of named) {
    const entry = { compress: false, size: file.sizeBytes, mtime: file.createdAt, mode: 0o100644 }
    zip.addReadStreamLazy(path, entry, (take) => {
      const { sizeBytes, md5 } = file
      const known = { key: keyOf(file), sizeBytes, md5 }
      openKnownBytes(site.storage, known).then(
        (content) => {
          if ('state' in content) {
            const { state } = content
            app.log.error({ site: site.number, key: known.key, state }, 'A file for a zip cannot be read')
            return output.destroy(new Error(`The bytes of the file ${file.id} are ${state}.`))
          }
          current = content instanceof Readable ? content : Readable.from([content])
          take(null, current)
          current.on('data', (chunk: Buffer) =>
            app.control.pendingStats.add(site.number, file.userId, { trafficBytes: chunk.length }),
          )
        },
        (error: Error) => output.destroy(error),
      )
    })
  }
  if (list) zip.addBuffer(Buffer.from(list.text(named)), list.name, { compress: false, mode: 0o100644 })
  zip.on('error', (error: Error) => output.destroy(error))
  const { promise: length, resolve } = Promise.withResolvers<number>()
  zip.end({ forceZip64Format: false, comment: '' }, resolve as () => void)
  reply.headers({
    'content-type': 'application/zip',
    'content-length': await length,
    'content-disposition': `attachment; filename="files.zip"; filename*=UTF-8''${slugOf(name) || 'files'}.zip`,
    'cache-control': 'private, no-store',
  })
  if (request.method === 'HEAD') {
    output.destroy()
    return reply.send()
  }
  const { promise: closed, resolve: close } = Promise.withResolvers<void>()
  reply.raw.once('close', close)
  reply.send(output)
  // The site must stay open until the last byte; a caller who leaves ends the reading.
  await closed
  current?.destroy()
  return reply
}

/** Files of different days may have one name: the second is `cat (2).jpg`. */
function withNames(files: readonly StoredFile[], others: readonly string[]): NamedFile[] {
  const taken = new Map(others.map((name) => [name, 1]))
  return files.map((file) => {
    const key = fileNameOf(file).toLowerCase()
    const count = (taken.get(key) ?? 0) + 1
    taken.set(key, count)
    const name = count === 1 ? file.name : `${file.name} (${count})`
    return { name: `${name}.${file.extension}`, file }
  })
}
