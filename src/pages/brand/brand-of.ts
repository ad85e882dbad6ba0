import { type BrandPicture, type BrandSlot, listBrandPictures } from '../../media/index.ts'
import { readSettings, type Site } from '../../site/index.ts'
import type { Brand } from '../reader.ts'

/** The address has the hash of the bytes, so that it may be kept for good. */
export const pathOfBrandPicture = ({ sha256, extension }: BrandPicture): string =>
  `/-/brand/${sha256}.${extension}`

/** What a site shows in place of our own look. */
export async function brandOf(site: Site): Promise<Brand> {
  const [{ site_name: name, accent }, pictures] = await Promise.all([
    readSettings(site),
    listBrandPictures(site),
  ])
  const inSlot = (slot: BrandSlot) => {
    const picture = pictures.find((each) => each.slot === slot)
    return picture && { ...picture, path: pathOfBrandPicture(picture) }
  }
  return { name, accent, logo: inSlot('logo'), logoDark: inSlot('logo-dark'), icon: inSlot('icon') }
}
