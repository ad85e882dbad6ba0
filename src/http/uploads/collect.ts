import type { SiteDb } from '../../db/index.ts'
import {
  checkSentWithoutPass,
  collectFile,
  collectorOf,
  emptySource,
  fileNameOf,
  largestUpload,
  mayNotUpload,
  readCollectedRequest,
  type Share,
  type SpooledFile,
  type Uploaded,
} from '../../media/index.ts'
import { changeSite } from '../../tenants/index.ts'
import { disconnectSignal } from '../connection/running-work.ts'
import { mailCollected } from '../mails/collected-mail.ts'
import { answerOnce } from '../requests/once/answer-once.ts'
import type { Answer } from '../responses/answer.ts'
import { checkTexts } from './answer-upload.ts'
import { type UploadForm, uploadOnce } from './read-upload.ts'
import { type FileCall, readSentFile, uploadRefusal } from './sent-file.ts'

/** Reads the file and stores it in the album of the share. */
export async function collect(
  { app, site, caller, request, reply }: FileCall,
  share: Share,
  hasPass: boolean,
): Promise<Answer> {
  if (!hasPass) checkSentWithoutPass(share)
  try {
    // A request that is sent again is answered again, also if it has used up the share: then the run decides.
    const isRepeatable = request.headers['idempotency-key'] !== undefined
    const collector = await collectorOf(site, isRepeatable ? { ...share, maxUploads: undefined } : share)
    await using form = await readSentFile(app, request, { maxBytes: await largestUpload(site, collector) })
    const source = checkedSource(form)
    checkTexts(form.parameters)
    const upload = {
      source,
      hasPass,
      request: await readCollectedRequest(site, collector, { parameters: form.parameters }),
      address: request.client.address,
      signal: disconnectSignal(reply),
    }
    const once = uploadOnce(request, caller, form)
    const { answer, isReplayed } = await answerOnce<Answer>(app, site, once, async (keep) => {
      const keepCollected = keep && ((db: SiteDb, stored: Uploaded) => keep(db, writeCollected(stored)))
      return writeCollected(
        await changeSite(app.control, site, (changing) =>
          collectFile(changing, share, { ...upload, ...(keepCollected && { keep: keepCollected }) }),
        ),
      )
    })
    if (!isReplayed) await mailCollected({ app, site, request }, collector)
    return isReplayed ? { ...answer, headers: { 'idempotency-replayed': 'true' } } : answer
  } catch (error) {
    throw uploadRefusal(error)
  }
}

const writeCollected = ({ file }: Uploaded): Answer => ({
  status: 201,
  body: { id: file.id, filename: fileNameOf(file), size: file.sizeBytes },
})

function checkedSource({ source }: UploadForm): SpooledFile {
  if (!source) throw emptySource()
  if ('refused' in source) throw source.refused
  if ('url' in source) throw mayNotUpload('A share takes files, no addresses of files.')
  return source
}
