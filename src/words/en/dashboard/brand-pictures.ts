/** Logo and icon of a site. */
export const brandPictures = {
  brandPictures: 'Logo and icon',
  brandSlots: {
    logo: { name: 'Logo', hint: 'In place of the name at the top of every page.' },
    'logo-dark': { name: 'Logo for the dark theme', hint: 'Without one the other logo is shown there too.' },
    icon: { name: 'Icon', hint: 'A square, for tabs and home screens.' },
  },
  brandNoPicture: 'None yet.',
  brandPictureFile: 'Picture',
  brandPictureLimit: (size: string) => `PNG, JPEG or WebP, at most ${size}; no SVG.`,
  brandPictureSave: 'Upload',
  brandPictureRemove: 'Remove',
  brandPictureMissing: 'Choose one picture.',
}
