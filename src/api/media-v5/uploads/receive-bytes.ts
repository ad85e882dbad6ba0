import { Type } from 'typebox'
import type { SiteDb } from '../../../db/index.ts'
import { addressesOf } from '../../../http/addresses/file-addresses.ts'
import { mailCollected } from '../../../http/mails/collected-mail.ts'
import { cannotRead } from '../../../http/responses/errors.ts'
import { siteKey } from '../../../http/site-key.ts'
import { answerUploaded } from '../../../http/uploads/answer-upload.ts'
import { eachChunk } from '../../../http/uploads/reading/body-chunks.ts'
import { openSpool, spoolFolderOf } from '../../../http/uploads/source/spool.ts'
import { readMetadata } from '../../../http/uploads/upload-metadata.ts'
import { UploadWarnings } from '../../../http/wire/files.ts'
import { openSealedText, sealText } from '../../../lib/sealed-text.ts'
import {
  appendBytes,
  type Checksum,
  type Finished,
  fileNameOf,
  finishUpload,
  type ResumableUpload,
  unfinishedUpload,
} from '../../../media/index.ts'
import { readSettings, type Site } from '../../../site/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { writeUploaded, writeUploadResponse } from '../../upload-v1/wire.ts'
import { answerFile } from '../files/edit-files.ts'
import type { MediaCall } from '../media-endpoint.ts'
import { announcedBytesOf, writeExpires } from './tus-headers.ts'

interface Receiving {
  upload: ResumableUpload
  /** Of the request that holds the upload. */
  token: string
  offsetBytes: number
  checksum: Checksum | undefined
}

/** Stores the body of a request at the end of an upload, and makes the file if that completes it. */
export async function receiveBytes(
  call: MediaCall,
  { upload, token, offsetBytes, checksum }: Receiving,
): Promise<Readonly<Record<string, string>>> {
  const { app, site, caller, request } = call
  await using spool = openSpool(spoolFolderOf(app))
  const appended = await changeSite(app.control, site, (changing) =>
    appendBytes(
      changing,
      upload,
      { id: upload.id, token },
      {
        offsetBytes,
        checksum,
        spool,
        announcedBytes: announcedBytesOf(request),
        receive: (take) => eachChunk(request.raw, take),
      },
    ),
  )
  const { last } = appended
  if (!last)
    return {
      'upload-offset': String(appended.offsetBytes),
      'upload-expires': writeExpires(appended.expiresAt),
    }

  await spool.made
  const { name = 'upload', parameters } = readMetadata(upload.metadata)
  const finished = await changeSite(app.control, site, (changing) =>
    finishUpload(changing, caller, {
      upload,
      last,
      spool,
      name,
      parameters,
      address: request.client.address,
      write: (db, made) => sealFinished(call, { upload, db, finished: made }),
    }),
  )
  const { file } = 'replaced' in finished ? finished.replaced : finished.uploaded
  if ('isCollected' in finished && finished.isCollected) await mailCollected(call, file)
  return { 'upload-offset': String(upload.lengthBytes), 'content-location': `/api/5/files/${file.id}` }
}

export const FinishedUploadObject = Type.Object({
  id: Type.String({ description: 'The id of the file' }),
  filename: Type.String({ description: 'The name in its address, with extension' }),
  size: Type.Integer({ description: 'In bytes' }),
  warnings: UploadWarnings,
  image: Type.Optional(
    Type.Object(
      {},
      { description: 'The file as `POST /api/1/upload` answers it; not for shares and replacements' },
    ),
  ),
})

/**
 * The answer of a finished upload, for both kinds of reader: the file as `POST /api/5/files` answers it, and beside it the answer
 * of the upload API. Sealed, because it may hold the delete link, which is stored nowhere else.
 */
async function sealFinished(
  call: MediaCall,
  { upload, db, finished }: { upload: ResumableUpload; db: SiteDb; finished: Finished },
): Promise<string> {
  const body = await writeFinished(call, { ...call.site, db }, finished)
  return sealText(siteKey(call.app, call.site, 'answers'), JSON.stringify(body), boundTo(upload))
}

export function openFinished({ app, site }: MediaCall, upload: ResumableUpload): unknown {
  if (upload.answer === undefined) throw unfinishedUpload(upload.offsetBytes, upload.lengthBytes)
  const text = openSealedText(siteKey(app, site, 'answers'), upload.answer, boundTo(upload))
  // It cannot be opened if the secret of the installation was changed since.
  if (text === undefined) throw cannotRead('The stored answer was sealed with another secret.')
  return JSON.parse(text)
}

const boundTo = ({ id }: ResumableUpload) => `upload ${id}`

async function writeFinished(call: MediaCall, site: Site, finished: Finished): Promise<object> {
  if ('replaced' in finished) return answerFile(call, finished.replaced).body as object
  const { uploaded, isCollected } = finished
  const { file } = uploaded
  if (isCollected) return { id: file.id, filename: fileNameOf(file), size: file.sizeBytes }
  const { body, isProtected } = await answerUploaded(call, site, uploaded)
  const { timezone: timeZone } = await readSettings(site)
  const signing = isProtected ? {} : undefined
  const addresses = addressesOf(call.app, site, file, { forwarded: call.request.client.scheme, signing })
  const object = writeUploaded({ site, uploaded, addresses, timeZone, storageKind: site.storage.kind })
  return { ...writeUploadResponse(object, file, false), ...(body as object) }
}
