import type { SiteDb } from '../../db/index.ts'
import {
  badParameter,
  fileTextFault,
  readUploadRequest,
  showFile,
  tagListFault,
  type Uploaded,
  uploadFile,
} from '../../media/index.ts'
import type { Site } from '../../site/index.ts'
import { changeSite } from '../../tenants/index.ts'
import { addressesOf } from '../addresses/file-addresses.ts'
import { disconnectSignal } from '../connection/running-work.ts'
import { etagOf } from '../requests/conditions.ts'
import type { Answer } from '../responses/answer.ts'
import { writeFile, writeWarnings } from '../wire/files.ts'
import { answerSentFile, type FileCall, type SendingCall, type SentForm } from './sent-file.ts'
import { sourceOf } from './source/chosen-source.ts'

/** Stores the file that a call sends, once for an Idempotency-Key. */
export const answerUpload = (call: SendingCall): Promise<Answer> =>
  answerSentFile(call, (form, keep) => storeSent(call, form, keep))

async function storeSent(
  call: SendingCall,
  form: SentForm,
  keep: ((db: SiteDb, answer: Answer) => Promise<void>) | undefined,
): Promise<Answer> {
  const { app, site, caller, request } = call
  checkTexts(form.parameters)
  const signal = disconnectSignal(call.reply)
  const upload = {
    request: await readUploadRequest(site, caller, {
      parameters: form.parameters,
      isThirdPartyFormat: false,
      seenAlbumId: form.seenAlbumId,
    }),
    source: await sourceOf(app, site, { actor: caller, form, signal }),
    address: request.client.address,
    signal,
  }
  let answer: Answer | undefined
  const keepUploaded = async (db: SiteDb, uploaded: Uploaded) => {
    const { isProtected: _isProtected, ...written } = await answerUploaded(call, { ...site, db }, uploaded)
    answer = written
    await keep?.(db, answer)
  }
  await changeSite(app.control, site, (changing) =>
    uploadFile(changing, caller, { ...upload, keep: keepUploaded }),
  )
  // The file is stored, and its answer was written with it.
  if (!answer) throw new Error('An upload keeps its answer.')
  return answer
}

/** The upload API cuts long texts and leaves out tags that cannot be; this one refuses them. */
export function checkTexts(parameters: ReadonlyMap<string, string>): void {
  const tags = tagListFault(parameters.get('tags') ?? '')
  if (tags) throw badParameter({ field: 'tags', ...tags })
  for (const field of ['title', 'description', 'contributor'] as const) {
    const text = parameters.get(field)
    const fault = text === undefined ? undefined : fileTextFault(field, text)
    if (fault !== undefined) throw badParameter({ field, ...fault })
  }
}

/** The answer that has made a file; `isProtected` says whether its addresses are signed. */
export async function answerUploaded(
  { app, caller, request }: Pick<FileCall, 'app' | 'caller' | 'request'>,
  site: Site,
  { file, deleteToken, isExisting, isAlbumDeleted = false }: Uploaded,
): Promise<Answer & { isProtected: boolean }> {
  const shown = await showFile(site, caller, file.id)
  // Without an end: the uploader has a link that works until it is rotated, or the privacy changes.
  const signing = shown.isProtected ? {} : undefined
  const addresses = addressesOf(app, site, shown.file, { forwarded: request.client.scheme, signing })
  const delete_url = deleteToken === undefined ? null : addresses.deletion(deleteToken)
  return {
    isProtected: shown.isProtected,
    status: isExisting ? 200 : 201,
    body: { ...writeFile({ shown, addresses, isOwn: false }), delete_url, ...writeWarnings(isAlbumDeleted) },
    headers: {
      location: `/api/5/files/${file.id}`,
      etag: etagOf(shown.file.version),
      'cache-control': 'no-store',
    },
  }
}
