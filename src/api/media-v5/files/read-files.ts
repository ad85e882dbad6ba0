import { Type } from 'typebox'
import { addressesOf, signingOf } from '../../../http/addresses/file-addresses.ts'
import { answerVersion, versionHeaders } from '../../../http/requests/conditions.ts'
import { searchRate } from '../../../http/requests/rates.ts'
import { FileObject, writeFile } from '../../../http/wire/files.ts'
import { answerPage, CountedPageOf } from '../../../http/wire/pages.ts'
import {
  countShownFiles,
  type FilePosition,
  type ListedFile,
  listShownFiles,
  mayChangeFile,
  noSuchFile,
  readShownFile,
  type ShownFile,
  shareGiving,
} from '../../../media/index.ts'
import type { MediaCall, MediaEndpoint } from '../media-endpoint.ts'
import { notModified, refusedAs, scopedRefusals } from '../responses.ts'
import { idOf, ofId } from '../rules/call-parts.ts'
import { chosenParameters, FilesQuery, fieldsParameter, readSelection, readSort } from './file-query.ts'

export const unknownFile = refusedAs(
  'The file does not exist, or the caller may not see it.',
  noSuchFile('Zk3Qm8vTxLw2'),
)

export const getFiles: MediaEndpoint = {
  tag: 'Files',
  summary: 'List files',
  description:
    'Newest first. Users see their own files, administrators and managers see all; the setting ' +
    '`listing` decides about the files of others. Without any of these rights the list is ' +
    'empty.',
  access: 'visitor-read',
  rate: searchRate,
  query: FilesQuery,
  responses: {
    200: { description: 'A page of files.', schema: CountedPageOf(FileObject) },
    ...scopedRefusals,
  },
  handle: (call) => {
    const { site, caller } = call
    const selection = readSelection(call)
    const sort = readSort(call)
    const hasExif = asksForExif(call)
    return answerPage<ListedFile, FilePosition>(call, {
      list: 'files',
      sort: JSON.stringify(sort),
      filter: chosenParameters(call),
      read: ({ after, limit }) => listShownFiles(site, caller, { selection, sort, after, limit, hasExif }),
      count: (most) => countShownFiles(site, caller, { selection, most }),
      positionOf: ({ position }) => position,
      write: writerOf(call, hasExif),
    })
  },
}

export const getFile: MediaEndpoint = {
  tag: 'Files',
  summary: 'Read a file',
  description:
    'Every caller can read a file by its id if it is in no album, or in a public or link album. ' +
    'Only its owner, administrators and managers can read a private file, or one in the trash.',
  access: 'visitor-read',
  requestHeaders: ['IfNoneMatch'],
  params: ofId,
  query: Type.Object(fieldsParameter),
  responses: {
    200: { description: 'The file.', schema: FileObject, headers: { ETag: 'Its version' } },
    304: notModified,
    ...scopedRefusals,
    404: unknownFile,
  },
  handle: async (call) => {
    const hasExif = asksForExif(call)
    const shown = await readShownFile(call.site, call.caller, { id: idOf(call, noSuchFile), hasExif })
    const body = writerOf(call, hasExif)(shown)
    const { version } = shown.file
    // Signed addresses end, and with a rotated key too: those that the caller holds may not work any more.
    if (shown.isProtected) return { status: 200, headers: versionHeaders(version), body }
    return answerVersion(call, version, body)
  },
}

const asksForExif = ({ query }: MediaCall) => query.fields === 'exif'

/** Writes files with their addresses as this caller reaches the site. A share that allows no download gives no original. */
export const writerOf =
  (call: Pick<MediaCall, 'app' | 'site' | 'caller' | 'request'>, hasExif = false) =>
  (shown: ShownFile) => {
    const { app, site, caller, request } = call
    const share = shareGiving(caller, shown.file)
    const signing = shown.isProtected ? signingOf(site.clock.now(), share) : undefined
    const addresses = addressesOf(app, site, shown.file, { forwarded: request.client.scheme, signing })
    return writeFile({
      shown,
      addresses,
      hasExif,
      isWithoutOriginal: share?.allowsDownload === false,
      isOwn: mayChangeFile(caller, shown.file),
    })
  }
