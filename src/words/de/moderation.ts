import type { moderation as english } from '../en/moderation.ts'
import type { WordsOf } from '../words-of.ts'

export const moderation: WordsOf<typeof english> = {
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

  reportFile: 'Diese Datei melden',
  reportTitle: 'Eine Datei melden',
  reportIntro: 'Sag den Betreibern dieser Seite, was damit nicht stimmt. Nur sie sehen deine Meldung.',
  reportReason: 'Was stimmt nicht?',
  reportReasons: {
    illegal: 'Verstößt gegen das Gesetz',
    sexual: 'Sexueller Inhalt',
    abuse: 'Hass, Belästigung oder Gewalt',
    privacy: 'Zeigt eine Person gegen ihren Willen',
    copyright: 'Gehört einer anderen Person',
    spam: 'Spam oder Betrug',
    other: 'Etwas anderes',
  },
  reportChoose: 'Wähle einen Grund',
  reportText: 'Was sollten sie wissen? (freiwillig)',
  reportTextHint: 'Höchstens 1000 Zeichen.',
  reportTextNeeded: 'Sag, was nicht stimmt, denn der Grund ist „Etwas anderes“.',
  reportTextLong: (length: string) => `Höchstens 1000 Zeichen, nicht ${length}.`,
  reportSend: 'Meldung senden',
  reportTwice: 'Diese Datei wurde von dir oder von deiner Adresse schon gemeldet. Sie wird angesehen.',
  reportRate:
    'Von deiner Adresse kamen in der letzten Stunde viele Meldungen. Versuch es später noch einmal.',
  reportThanks: 'Danke',
  reportThanksText: 'Deine Meldung ist abgeschickt. Die Betreiber dieser Seite sehen sich die Datei an.',
  filesReported: {
    one: (count: string) => `${count} Datei wurde gemeldet`,
    other: (count: string) => `${count} Dateien wurden gemeldet`,
  },
  reportsPart: 'Meldungen',
  reportsText:
    'Behalten zeigt eine Datei wieder, und Meldungen derselben Bytes verbergen sie nicht mehr. Entfernen legt sie in den Papierkorb.',
  reportsEmpty: 'Keine Meldungen',
  reportsEmptyText: 'Hier erscheinen gemeldete Dateien, bis du sie behältst oder entfernst.',
  reportCount: {
    one: (count: string) => `${count} Meldung`,
    other: (count: string) => `${count} Meldungen`,
  },
  reportedFirst: (ago: string) => `die erste ${ago}`,
  reportTexts: {
    one: (count: string) => `${count} Text`,
    other: (count: string) => `${count} Texte`,
  },
  reportHidden: 'Verborgen',
  keep: 'Behalten',
  remove: 'Entfernen',
  keepMarked: 'Markierte behalten',
  removeMarked: 'Markierte entfernen',
}
