export const brandPictures = {
  brandPictures: 'Logo und Symbol',
  brandSlots: {
    logo: { name: 'Logo', hint: 'Statt des Namens oben auf jeder Seite.' },
    'logo-dark': {
      name: 'Logo für das dunkle Design',
      hint: 'Ohne dieses wird auch dort das andere Logo gezeigt.',
    },
    icon: { name: 'Symbol', hint: 'Ein Quadrat, für Tabs und Startbildschirme.' },
  },
  brandNoPicture: 'Noch keines.',
  brandPictureFile: 'Bild',
  brandPictureLimit: (size: string) => `PNG, JPEG oder WebP, höchstens ${size}; kein SVG.`,
  brandPictureSave: 'Hochladen',
  brandPictureRemove: 'Entfernen',
  brandPictureMissing: 'Wähle ein Bild.',
}
