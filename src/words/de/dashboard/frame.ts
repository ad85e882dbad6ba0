/** The frame of the dashboard and its overview. */
export const dashboardFrame = {
  dashboard: 'Verwaltung',
  overview: 'Übersicht',
  storage: 'Speicher',
  users: 'Benutzer',
  newestFiles: 'Neueste Dateien',
  noFilesOnSite: 'Hier erscheint jedes Bild und Video, das auf diese Seite hochgeladen wird.',
  filesWait: {
    one: (count: string) => `${count} Datei wartet auf Freigabe`,
    other: (count: string) => `${count} Dateien warten auf Freigabe`,
  },
  atLeast: (text: string) => `Mindestens ${text}`,
}
