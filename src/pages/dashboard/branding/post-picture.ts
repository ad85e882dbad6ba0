import { disconnectSignal } from '../../../http/connection/running-work.ts'
import { responseOfRefusal, routeNotFound } from '../../../http/responses/errors.ts'
import { spoolFolderOf } from '../../../http/uploads/source/spool.ts'
import { Refusal } from '../../../lib/refusal.ts'
import {
  type BrandSlot,
  brandSlots,
  emptySource,
  mostBrandBytes,
  removeBrandPicture,
  setBrandPicture,
} from '../../../media/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { checkFormToken } from '../../../ui/form.ts'
import { refusalText } from '../../../ui/refusal-words.ts'
import { orRefusal } from '../../../ui/refused.ts'
import { type PageAnswer, type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { type PlainForm, readPlainForm } from '../../read-plain-form.ts'
import { brandingPageOf } from './branding.ts'

/** Sets or removes a logo or the icon. */
export const postPicture: PageHandler = async (call) => {
  const { app, reader, request } = call
  const reading = { spoolFolder: spoolFolderOf(app), maxBytes: mostBrandBytes }
  const read = await orRefusal(readPlainForm(request.raw, reading))
  if (read instanceof Refusal) return refuse(call, slotIn(call), read)
  await using form = read
  checkFormToken(reader, form.fields.get('csrf') ?? '')
  const slot = slotIn(call)
  const changed = await orRefusal(change(call, slot, form))
  return changed instanceof Refusal
    ? refuse(call, slot, changed)
    : { to: `/dashboard/branding?saved=1#file-${slot}` }
}

function slotIn({ params }: PageCall): BrandSlot {
  const slot = brandSlots.find((each) => each === params.slot)
  if (!slot) throw routeNotFound()
  return slot
}

async function change(call: PageCall, slot: BrandSlot, { fields, files }: PlainForm): Promise<void> {
  const { app, site, reply } = call
  const caller = userOf(call)
  if (fields.get('action') === 'remove')
    return changeSite(app.control, site, (changing) => removeBrandPicture(changing, caller, slot))
  const [file, ...others] = files
  if (!file || others.length > 0) throw emptySource()
  if ('refused' in file) throw file.refused
  const picture = { slot, spooled: file.spooled, signal: disconnectSignal(reply) }
  return changeSite(app.control, site, (changing) => setBrandPicture(changing, caller, picture))
}

async function refuse(call: PageCall, slot: BrandSlot, refusal: Refusal): Promise<PageAnswer> {
  const { status, headers } = responseOfRefusal(refusal)
  return {
    page: await brandingPageOf(call, { slot, slotFault: faultOf(call, refusal) }),
    status,
    headers,
  }
}

const faultOf = ({ reader }: PageCall, refusal: Refusal): string =>
  refusal.code === 'empty-source' ? reader.words.brandPictureMissing : refusalText(reader, refusal)
