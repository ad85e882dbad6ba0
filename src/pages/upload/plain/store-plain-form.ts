import type { Caller } from '../../../accounts/index.ts'
import { addressesOf, type FileAddresses } from '../../../http/addresses/file-addresses.ts'
import { disconnectSignal } from '../../../http/connection/running-work.ts'
import { sourceOf } from '../../../http/uploads/source/chosen-source.ts'
import { Refusal } from '../../../lib/refusal.ts'
import {
  badParameter,
  createOwnAlbum,
  isProtected,
  readUploadRequest,
  tagListFault,
  type Uploaded,
  uploadFile,
} from '../../../media/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { orRefusal } from '../../../ui/refused.ts'
import type { PageCall } from '../../page-call.ts'
import type { PlainForm } from '../../read-plain-form.ts'

/** What became of a file of the form. */
export type PlainResult = RefusedSource | { name: string; uploaded: Uploaded; addresses: FileAddresses }

export interface RefusedSource {
  name: string
  /** Whether the form named its address. */
  isLink: boolean
  refusal: Refusal
}

const parameterNames = ['title', 'tags', 'album_id', 'category_id', 'expiration', 'nsfw']

/** Stores the files of a form one after the other, by the verb that the API uses. */
export async function storePlainForm(
  call: PageCall,
  uploader: Caller,
  { fields, files, spool }: PlainForm,
): Promise<PlainResult[]> {
  const { app, site, request, reply } = call
  const parameters = new Map(
    parameterNames.flatMap((name) => {
      const value = fields.get(name)
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
  const tags = tagListFault(fields.get('tags') ?? '')
  if (tags) throw badParameter({ field: 'tags', ...tags })
  // Checked before an album is made for the files.
  await readUploadRequest(site, uploader, { parameters, isThirdPartyFormat: false })
  const title = fields.get('new_album')?.trim() ?? ''
  if (title !== '') parameters.set('album_id', await newAlbum(call, uploader, title))
  const uploadRequest = await readUploadRequest(site, uploader, { parameters, isThirdPartyFormat: false })
  const signal = disconnectSignal(reply)
  const url = fields.get('url')
  const sources = [...files, ...(url === undefined ? [] : [{ name: url, source: { url } }])]
  const results: PlainResult[] = []
  for (const each of sources) {
    const store = async () => {
      if ('refused' in each) throw each.refused
      const given = 'spooled' in each ? each.spooled : each.source
      const form = { parameters, source: given, sourceField: 'source' as const, spool }
      const source = await sourceOf(app, site, { actor: uploader, form, signal })
      const upload = { source, request: uploadRequest, address: request.client.address, signal }
      return changeSite(app.control, site, (changing) => uploadFile(changing, uploader, upload))
    }
    const uploaded = await orRefusal(store())
    results.push(
      uploaded instanceof Refusal
        ? { name: each.name, isLink: 'source' in each, refusal: uploaded }
        : { name: each.name, uploaded, addresses: await addressesFor(call, uploaded) },
    )
  }
  return results
}

async function newAlbum({ app, site }: PageCall, uploader: Caller, title: string): Promise<string> {
  if (uploader.kind === 'guest')
    throw new Refusal('forbidden', 'may-not-upload', 'new_album: is only for users who are logged in')
  const { id } = await changeSite(app.control, site, (changing) =>
    createOwnAlbum(changing, uploader, { title }),
  )
  return id
}

/** Without an end: the uploader has links that work until they are rotated, or the privacy changes. */
async function addressesFor({ app, site, request }: PageCall, { file }: Uploaded): Promise<FileAddresses> {
  // The file is stored; a signature that is not needed does no harm.
  const isSigned = await isProtected(site, file).catch(() => true)
  return addressesOf(app, site, file, {
    forwarded: request.client.scheme,
    signing: isSigned ? {} : undefined,
  })
}
