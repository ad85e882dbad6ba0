import { attributes, type Html, html } from '../../../../lib/html.ts'
import { listShownFiles, type Preset, presetSize, type ShownFile } from '../../../../media/index.ts'
import { isSwitchedOn } from '../../../../site/index.ts'
import { addressesFor } from '../../../browse/lists/tiles.ts'
import { type PageCall, userOf } from '../../../page-call.ts'

/** How many of the newest pictures are looked through for one that everybody may see. */
const mostLookedAt = 20

/** The newest picture of the site, if there is one, and if other sizes are made: one that is not protected, where possible. */
export async function samplePicture(call: PageCall): Promise<ShownFile | undefined> {
  const { site } = call
  if (!isSwitchedOn(site.values, 'SERVICE_ENABLE_TRANSFORMS')) return undefined
  const pictures = await listShownFiles(site, userOf(call), {
    selection: { type: 'image', isNsfw: false, isApproved: true },
    sort: { by: 'created', isDescending: true },
    after: undefined,
    limit: mostLookedAt,
    hasExif: false,
  })
  return pictures.find(({ isProtected }) => !isProtected) ?? pictures[0]
}

/** The sample as the preset makes it. Undefined where there is none. */
export function sampleOf(call: PageCall, sample: ShownFile | undefined, preset: Preset): Html | undefined {
  const url = sample && addressesFor(call, sample).byPreset?.(preset.name, preset.version)
  if (!sample || url === undefined) return undefined
  const { width, height } = presetSize(sample.file, preset.options) ?? {}
  return html`<img${attributes({
    class: 'preset-picture',
    src: url,
    alt: call.reader.words.presetPicture(preset.name),
    width,
    height,
    loading: 'lazy',
  })}>`
}
