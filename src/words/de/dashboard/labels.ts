/** Albums, categories and tags of the dashboard. */
export const dashboardLabels = {
  newCategory: 'Neue Kategorie',
  noCategoriesForAdmin: 'Eine Kategorie ordnet die Dateien aller Benutzer. Lege die erste an.',
  categoryHint: 'Ihre Adresse bleibt, damit Links weiter gelten.',
  categoryTaken: 'Es gibt schon eine Kategorie dieses Namens.',
  tagHint: 'Mit dem Namen eines anderen Schlagworts werden beide eins.',
  searchTags: 'Schlagwörter suchen',
  moreTags: 'Es gibt mehr Schlagwörter. Suche nach dem Anfang.',
  rename: 'Umbenennen',
  newName: 'Neuer Name',
  labelDelete: 'Löschen',
  labelDeleteText: 'Die Dateien bleiben, ohne das Wort.',
  labelRule: 'Ein Name hat 1 bis 32 Zeichen; ein Schlagwort hat keine Kommas.',
  labelGone: 'Das gibt es nicht mehr.',
  onlyOwner: 'Nur der Besitzer',
}
