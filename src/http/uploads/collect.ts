import { Type } from 'typebox'
import {
  FileName,
  fileForms,
  fileRefusals,
  readSentFile,
  uploadRefusal,
  visitorFields,
} from '../../api/media-v5/files/file-forms.ts'
import type { ChangingEndpoint, MediaAnswer, MediaCall } from '../../api/media-v5/media-endpoint.ts'
import { refusedAs } from '../../api/media-v5/responses.ts'
import { CollectedObject, ShareToken } from '../../api/media-v5/wire.ts'
import type { SiteDb } from '../../db/index.ts'
import {
  badParameter,
  checkSentWithoutPass,
  collectFile,
  collectorOf,
  emptySource,
  fileNameOf,
  largestUpload,
  mayNotUpload,
  readUploadRequest,
  type Share,
  type SpooledFile,
  shareEnded,
  shareOfToken,
  type Uploaded,
  unknownShare,
  uploadsUsedUp,
} from '../../media/index.ts'
import { changeSite } from '../../tenants/index.ts'
import { goneSignal } from '../connection/gone-signal.ts'
import { answerOnce } from '../requests/once/answer-once.ts'
import { noProof } from '../requests/proof-rule.ts'
import { checkTexts } from './answer-upload.ts'
import type { UploadForm } from './read-upload.ts'
import { uploadOnce } from './source/upload-once.ts'

const takenParameters: ReadonlySet<string> = new Set(Object.keys(visitorFields))

export const postShareFile: ChangingEndpoint = {
  tag: 'Shares',
  summary: 'Add a file to a shared album',
  description:
    'For every visitor who knows the token of a share with `allow_upload`; one with a password, and one without views left, also needs its pass in `X-Share`. The ' +
    'body is the file itself, or a form with the file as `source`. The file belongs to the owner of the album and counts ' +
    'towards the limits of the site; the flood limits of guests hold.',
  access: 'visitor',
  proof: noProof.link,
  isBodyUnread: true,
  params: Type.Object({ token: ShareToken }),
  query: Type.Object({ filename: FileName, ...visitorFields }),
  forms: fileForms(visitorFields),
  responses: {
    201: { description: 'The file is stored.', schema: CollectedObject },
    ...fileRefusals,
    403: refusedAs('The share takes no files, or no more, or needs its password.', uploadsUsedUp()),
    404: refusedAs('There is no such share.', unknownShare()),
    410: refusedAs(
      'The share was revoked or is suspended, has ended, or its views are used up.',
      shareEnded(),
    ),
  },
  handle: async (call) => {
    const { site } = call
    const share = await shareOfToken(site, call.params.token ?? '')
    return collect(call, share, call.caller.share?.shareId === share.id)
  },
}

/** Reads the file and stores it in the album of the share. */
export async function collect(
  { app, site, caller, request, reply }: Pick<MediaCall, 'app' | 'site' | 'caller' | 'request' | 'reply'>,
  share: Share,
  hasPass: boolean,
): Promise<MediaAnswer> {
  if (!hasPass) checkSentWithoutPass(share)
  try {
    // A request that is sent again is answered again, also if it has used up the share: then the run decides.
    const isRepeatable = request.headers['idempotency-key'] !== undefined
    const collector = await collectorOf(site, isRepeatable ? { ...share, maxUploads: undefined } : share)
    await using form = await readSentFile(app, request, { maxBytes: await largestUpload(site, collector) })
    const source = checkedSource(form)
    checkTexts(form.parameters)
    const upload = {
      ...{ source, hasPass },
      request: await readUploadRequest(site, collector, {
        parameters: form.parameters,
        isThirdPartyFormat: false,
      }),
      ...{ address: request.client.address, signal: goneSignal(reply) },
    }
    const once = uploadOnce(request, caller, form)
    const { answer, isReplayed } = await answerOnce<MediaAnswer>(app, site, once, async (keep) => {
      const keepCollected = keep && ((db: SiteDb, stored: Uploaded) => keep(db, writeCollected(stored)))
      return writeCollected(
        await changeSite(app.control, site, (changing) =>
          collectFile(changing, share, { ...upload, ...(keepCollected && { keep: keepCollected }) }),
        ),
      )
    })
    return isReplayed ? { ...answer, headers: { 'idempotency-replayed': 'true' } } : answer
  } catch (error) {
    throw uploadRefusal(error)
  }
}

const writeCollected = ({ file }: Uploaded): MediaAnswer => ({
  status: 201,
  body: { id: file.id, filename: fileNameOf(file), size: file.sizeBytes },
})

function checkedSource({ source, parameters }: UploadForm): SpooledFile {
  for (const name of parameters.keys())
    if (!takenParameters.has(name)) throw badParameter(name, 'is not taken by a share')
  if (!source) throw emptySource()
  if ('refused' in source) throw source.refused
  if ('url' in source) throw mayNotUpload('A share takes files, no addresses of files.')
  return source
}
