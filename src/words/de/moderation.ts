import type { moderation as english } from '../en/moderation.ts'
import type { WordsOf } from '../words-of.ts'

export const moderation: WordsOf<typeof english> = {
  queuePart: 'Warteschlange',
  queueEmpty: 'Nichts freizuschalten',
  queueEmptyText:
    'Hier erscheinen Uploads, die du freischalten musst. Bis dahin können nur ihre Besitzer sie sehen.',
  queueEmptyOff:
    'Uploads erscheinen sofort, ohne Freischaltung. Das kannst du in den Einstellungen der Website ändern.',
  approve: 'Freischalten',
  reject: 'Ablehnen',
  approveMarked: 'Ausgewählte freischalten',
  rejectMarked: 'Ausgewählte ablehnen',
  keyApprove: 'Erste Datei freischalten',
  keyReject: 'Erste Datei ablehnen',
  moderationTitle: 'Freischaltung',
  moderationLabel: 'Uploads, die freigeschaltet werden müssen',
  moderations: { off: 'Keine', guest: 'Von Gästen', all: 'Von allen außer Administratoren und Managern' },
  guest: 'Gast',
  mark: 'Auswählen',
  markFiles: 'Wähle zuerst mindestens eine Datei aus.',
  filesDone: {
    approve: {
      one: (count: string) => `${count} Datei freigeschaltet.`,
      other: (count: string) => `${count} Dateien freigeschaltet.`,
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
      one: (count: string) => `${count} Datei in den Papierkorb verschoben.`,
      other: (count: string) => `${count} Dateien in den Papierkorb verschoben.`,
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
    one: (count: string) => `${count} Datei wurde inzwischen geändert und übersprungen.`,
    other: (count: string) => `${count} Dateien wurden inzwischen geändert und übersprungen.`,
  },
  fileShows: {
    all: 'Alle',
    images: 'Bilder',
    videos: 'Videos',
    waiting: 'Wartend',
    nsfw: 'Sensible Inhalte',
    trash: 'Papierkorb',
  },
  searchFiles: 'Dateien suchen',
  fileOwner: 'Besitzer',
  viewsColumn: 'Aufrufe',
  uploadedAt: 'Hochgeladen',
  state: 'Status',
  stateWaiting: 'Wartet',
  statePrivate: 'Privat',

  reportFile: 'Diese Datei melden',
  reportTitle: 'Datei melden',
  reportIntro:
    'Sag uns, was mit dieser Datei nicht stimmt. Nur die Administratoren dieser Website sehen deine Meldung.',
  reportReason: 'Was stimmt nicht?',
  reportReasons: {
    illegal: 'Illegale Inhalte',
    sexual: 'Sexuelle Inhalte',
    abuse: 'Hass, Belästigung oder Gewalt',
    privacy: 'Zeigt eine Person ohne ihre Zustimmung',
    copyright: 'Urheberrechtsverletzung',
    spam: 'Spam oder Betrug',
    other: 'Etwas anderes',
  },
  reportChoose: 'Wähle einen Grund',
  reportText: 'Details (optional)',
  reportTextHint: 'Bis zu 1.000 Zeichen.',
  reportTextNeeded: 'Sag uns, was nicht stimmt.',
  reportTextLong: (length: string) => `Verwende bis zu 1.000 Zeichen. Du hast ${length} eingegeben.`,
  reportSend: 'Meldung senden',
  reportTwice: 'Du oder jemand in deinem Netzwerk hat diese Datei schon gemeldet. Wir sehen sie uns an.',
  reportRate: 'Zu viele Meldungen aus deinem Netzwerk in der letzten Stunde. Versuche es später noch einmal.',
  reportThanks: 'Danke',
  reportThanksText:
    'Deine Meldung ist angekommen. Die Administratoren dieser Website sehen sich die Datei an.',
  filesReported: {
    one: (count: string) => `${count} Datei wurde gemeldet`,
    other: (count: string) => `${count} Dateien wurden gemeldet`,
  },
  reportsPart: 'Meldungen',
  reportsText:
    'Behalte eine Datei, um sie wieder anzuzeigen: Neue Meldungen blenden sie nicht mehr aus. Entferne eine Datei, um sie in den Papierkorb zu verschieben.',
  reportsEmpty: 'Keine Meldungen',
  reportsEmptyText: 'Hier erscheinen gemeldete Dateien, bis du sie behältst oder entfernst.',
  reportCount: {
    one: (count: string) => `${count} Meldung`,
    other: (count: string) => `${count} Meldungen`,
  },
  reportedFirst: (ago: string) => `die erste ${ago}`,
  reportTexts: {
    one: (count: string) => `${count} Kommentar`,
    other: (count: string) => `${count} Kommentare`,
  },
  reportHidden: 'Ausgeblendet',
  keep: 'Behalten',
  remove: 'Entfernen',
  keepMarked: 'Ausgewählte behalten',
  removeMarked: 'Ausgewählte entfernen',
}
