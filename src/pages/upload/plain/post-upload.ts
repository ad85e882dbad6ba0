import { responseOfRefusal } from '../../../http/responses/errors.ts'
import { spoolFolderOf } from '../../../http/uploads/source/spool.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { checkMayUploadOnPage, emptySource, largestUpload, listPresets } from '../../../media/index.ts'
import { checkFormToken } from '../../../ui/form.ts'
import { refusalInWords, refusalText } from '../../../ui/refusal-words.ts'
import { orRefusal } from '../../../ui/refused.ts'
import { logInPath } from '../../guard.ts'
import type { PageAnswer, PageCall, PageHandler } from '../../page-call.ts'
import { readPlainForm } from '../../read-plain-form.ts'
import { showForm } from '../show-upload.ts'
import { uploaderOf } from '../upload-data.ts'
import { type RefusedSource, storePlainForm } from './store-plain-form.ts'
import { uploadedPage } from './uploaded-page.ts'

/** The form without script: stores its files and answers with their links. */
export const postUpload: PageHandler = (call) => storeForm(call)

/** What a phone's share sheet sends. The browser itself has made the request, so no page had a token to give it. */
export const postShared: PageHandler = async (call) =>
  call.reader.account?.mayUpload
    ? storeForm(call, { isShared: true })
    : { to: logInPath('/upload'), status: 303 }

/** A shared text has no form to go back to; its reload must not send the files again. */
export const showShared: PageHandler = async () => ({ to: '/upload', status: 302 })

async function storeForm(call: PageCall, { isShared = false } = {}): Promise<PageAnswer> {
  const { app, site, reader, request } = call
  const uploader = uploaderOf(call)
  await checkMayUploadOnPage(site, uploader)
  const maxBytes = await largestUpload(site, uploader)
  const read = await orRefusal(readPlainForm(request.raw, { spoolFolder: spoolFolderOf(app), maxBytes }))
  if (read instanceof Refusal) return refuse(call, read, new Map())
  await using form = read
  if (!isShared) checkFormToken(reader, form.fields.get('csrf') ?? '')
  if (form.files.length === 0 && !form.fields.has('url')) return refuse(call, emptySource(), form.fields)
  // A shared file may come with the address of the page that it was on.
  const fields = isShared && form.files.length > 0 ? new Map<string, string>() : form.fields
  const results = await orRefusal(storePlainForm(call, uploader, { ...form, fields }))
  if (results instanceof Refusal) return refuse(call, results, form.fields)
  const refused = results.filter((each) => 'refusal' in each)
  const [first, ...others] = refused
  if (first && refused.length === results.length) return refuseAll(call, [first, ...others], form.fields)
  const page = uploadedPage({
    siteName: site.hostname,
    reader,
    results,
    isGuest: call.session === undefined,
    presets: await listPresets(site),
  })
  // It shows delete links.
  return { page, isSecret: true }
}

type Given = ReadonlyMap<string, string>

/** The form again, with its texts; a browser does not give files back. */
async function refuse(call: PageCall, refusal: Refusal, given: Given): Promise<PageAnswer> {
  const { status, headers } = responseOfRefusal(refusal)
  const isOfFiles = refusal.reason === 'empty-source'
  const { page } = await showForm(call, {
    given,
    ...(isOfFiles
      ? { fileFaults: [refusalText(call.reader, refusal)] }
      : { faults: refusalInWords(call.reader, refusal) }),
  })
  return { page, status, headers }
}

/** If nothing was stored: each reason stands beside its field, that of a file with its name. */
async function refuseAll(
  call: PageCall,
  [first, ...others]: readonly [RefusedSource, ...RefusedSource[]],
  given: Given,
): Promise<PageAnswer> {
  const { status, headers } = responseOfRefusal(first.refusal)
  const fileFaults: string[] = []
  const faults = new Map<string, string>()
  for (const { name, isLink, refusal } of [first, ...others]) {
    const text = refusalText(call.reader, refusal)
    if (isLink) faults.set('url', text)
    else fileFaults.push(`${name}: ${text}`)
  }
  const { page } = await showForm(call, { given, faults, fileFaults })
  return { page, status, headers }
}
