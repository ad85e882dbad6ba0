export const brandPictures = {
  brandPictures: 'Logotipo e icono',
  brandSlots: {
    logo: { name: 'Logotipo', hint: 'En lugar del nombre, arriba en todas las páginas.' },
    'logo-dark': {
      name: 'Logotipo para el tema oscuro',
      hint: 'Si no hay, el otro logotipo se muestra también ahí.',
    },
    icon: { name: 'Icono', hint: 'Cuadrado, para pestañas y pantallas de inicio.' },
  },
  brandNoPicture: 'Todavía ninguno.',
  brandPictureFile: 'Imagen',
  brandPictureLimit: (size: string) => `PNG, JPEG o WebP, ${size} como máximo; no SVG.`,
  brandPictureSave: 'Subir',
  brandPictureRemove: 'Quitar',
  brandPictureMissing: 'Elige una imagen.',
}
