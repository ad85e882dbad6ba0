/** The queue and the files of the dashboard. */
export const dashboardFiles = {
  queuePart: 'Freigabe',
  queueEmpty: 'Nichts wartet',
  queueEmptyText:
    'Hier erscheinen Dateien, die auf Freigabe warten. Bis dahin sieht sie nur, wem sie gehören.',
  queueEmptyOff:
    'Hochgeladenes ist sofort zu sehen: Nichts wartet auf Freigabe. Das ist eine Einstellung dieser Seite.',
  approve: 'Freigeben',
  reject: 'Ablehnen',
  approveMarked: 'Markierte freigeben',
  rejectMarked: 'Markierte ablehnen',
  keyApprove: 'Erste Datei freigeben',
  keyReject: 'Erste Datei ablehnen',
  moderationTitle: 'Wer warten muss',
  moderationLabel: 'Was auf Freigabe wartet',
  moderations: { off: 'Nichts', guest: 'Dateien von Gästen', all: 'Alles außer von der Leitung' },
  guest: 'Gast',
  mark: 'Markieren',
  markFiles: 'Markiere zuerst mindestens eine Datei.',
  filesDone: {
    approve: {
      one: (count: string) => `${count} Datei freigegeben.`,
      other: (count: string) => `${count} Dateien freigegeben.`,
    },
    keep: {
      one: (count: string) => `${count} Datei behalten.`,
      other: (count: string) => `${count} Dateien behalten.`,
    },
    reject: {
      one: (count: string) => `${count} Datei abgelehnt.`,
      other: (count: string) => `${count} Dateien abgelehnt.`,
    },
    trash: {
      one: (count: string) => `${count} Datei in den Papierkorb gelegt.`,
      other: (count: string) => `${count} Dateien in den Papierkorb gelegt.`,
    },
    restore: {
      one: (count: string) => `${count} Datei wiederhergestellt.`,
      other: (count: string) => `${count} Dateien wiederhergestellt.`,
    },
  },
  filesUndone: {
    one: (count: string) => `Für ${count} Datei rückgängig gemacht.`,
    other: (count: string) => `Für ${count} Dateien rückgängig gemacht.`,
  },
  filesNotChanged: {
    one: (count: string) => `${count} Datei wurde inzwischen geändert und bleibt, wie sie ist.`,
    other: (count: string) => `${count} Dateien wurden inzwischen geändert und bleiben, wie sie sind.`,
  },
  fileShows: {
    all: 'Alle',
    images: 'Bilder',
    videos: 'Videos',
    waiting: 'Wartend',
    nsfw: 'Nicht für alle',
    trash: 'Papierkorb',
  },
  searchFiles: 'Dateien suchen',
  fileOwner: 'Besitzer',
  viewsColumn: 'Aufrufe',
  uploadedAt: 'Hochgeladen',
  state: 'Zustand',
  stateWaiting: 'Wartet',
  statePrivate: 'Privat',
}
