/** Reports of files: the form for visitors, and the list for the staff. */
export const fileReports = {
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
  reportMailSubject: 'Eine Datei wurde gemeldet',
  reportMail: ({ site, reason, link }: { site: string; reason: string; link: string }) =>
    `Bei ${site} wurde eine Datei gemeldet: ${reason}.\n\nBehalte oder entferne sie hier:\n${link}\n\nWeitere Meldungen dieser Datei kommen nicht per Mail, und höchstens zehn Mails in der Stunde.\n`,
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
