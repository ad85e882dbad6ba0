import { eachChunk } from '../../../http/uploads/reading/body-chunks.ts'
import { openSpool } from '../../../http/uploads/source/spool.ts'
import { spoolFolderOf } from '../../../http/uploads/source/spool-folder.ts'
import { readMetadata } from '../../../http/uploads/upload-metadata.ts'
import { appendBytes, type Checksum, finishUpload, type ResumableUpload } from '../../../media/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import type { MediaCall } from '../media-endpoint.ts'
import { sealFinished } from './finished-answer.ts'
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
  return { 'upload-offset': String(upload.lengthBytes), 'content-location': `/api/5/files/${file.id}` }
}
