export {
  brandSlots,
  listBrandPictures,
  mostBrandBytes,
  readBrandPicture,
  removeBrandPicture,
  setBrandPicture,
} from '../brand-pictures.ts'
export { type BrandPicture, type BrandSlot, keyOfBrandPicture } from '../brand-pictures-table.ts'
export { brandPictureTooLarge } from './errors.ts'
