import { attributes, type Html, html } from '../../../lib/html.ts'
import { type BrandSlot, brandSlots, mostBrandBytes } from '../../../media/index.ts'
import { tokenField } from '../../../ui/form.ts'
import { submitButton, textField } from '../../../ui/parts/controls.ts'
import type { Brand, ShownBrandPicture } from '../../../ui/reader.ts'
import { writeSize } from '../../../words/format.ts'
import type { PageCall } from '../../page-call.ts'

interface Refused {
  slot?: BrandSlot | undefined
  fault?: string | undefined
}

const pictureIn = (brand: Brand | undefined): Record<BrandSlot, ShownBrandPicture | undefined> => ({
  logo: brand?.logo,
  'logo-dark': brand?.logoDark,
  icon: brand?.icon,
})

/** A form for each picture, each on the ground that it is made for. */
export function brandPictureForms(call: PageCall, refused: Refused): Html {
  const pictures = pictureIn(call.reader.account?.brand)
  const forms = brandSlots.map((slot) =>
    pictureForm(call, {
      slot,
      picture: pictures[slot],
      fault: slot === refused.slot ? refused.fault : undefined,
    }),
  )
  return html`<div class="brand-previews">${forms}</div>`
}

interface PictureForm {
  slot: BrandSlot
  picture: ShownBrandPicture | undefined
  fault: string | undefined
}

function pictureForm({ reader }: PageCall, { slot, picture, fault }: PictureForm): Html {
  const { words, language } = reader
  const { name, hint } = words.brandSlots[slot]
  const theme = slot === 'logo' ? 'light' : slot === 'logo-dark' ? 'dark' : ''
  return html`<form${attributes({ method: 'post', action: `/dashboard/branding/${slot}`, enctype: 'multipart/form-data', class: `brand-preview ${theme}`, 'aria-label': name })}>${tokenField(reader)}
<h3>${name}</h3>
${picture ? html`<p><img class="brand-picture" src="${picture.path}" alt="${name}" width="${picture.width}" height="${picture.height}"></p>` : html`<p class="hint">${words.brandNoPicture}</p>`}
${textField({
  label: words.brandPictureFile,
  name: 'source',
  id: `file-${slot}`,
  fault,
  hint: `${hint} ${words.brandPictureLimit(writeSize(language, mostBrandBytes))}`,
  more: { type: 'file', accept: 'image/png,image/jpeg,image/webp,image/gif,image/avif' },
})}
<p class="actions">${submitButton(words.brandPictureSave, { look: 'plain', icon: 'upload', more: { name: 'action', value: 'save' } })}${picture && submitButton(words.brandPictureRemove, { look: 'quiet', icon: 'delete', more: { name: 'action', value: 'remove' } })}</p>
</form>`
}
