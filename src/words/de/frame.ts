import type { frame as english } from '../en/frame.ts'
import type { WordsOf } from '../words-of.ts'

export const frame: WordsOf<typeof english> = {
  skip: 'Zum Inhalt springen',
  navigation: 'Hauptmenü',
  language: 'Sprache',
  theme: 'Design',
  themeAuto: 'Automatisch',
  themeLight: 'Hell',
  themeDark: 'Dunkel',
  close: 'Schließen',
  undo: 'Rückgängig',
  newer: 'Neuere',
  older: 'Ältere',
  ofLimit: (used, limit) => `${used} von ${limit}`,

  keys: 'Tastenkürzel',
  keysSwitch: 'Tastenkürzel mit einem Buchstaben verwenden',
  keyCopy: 'Im zuletzt verwendeten Format kopieren',
  keyDownload: 'Herunterladen',
  keyFullScreen: 'Vollbild',
  keyDetails: 'Details',
  keyList: 'Diese Liste',

  demoSite: 'Demo',
  demoNotice: 'Das ist eine Demo-Website. Deine eigene erstellst du mit',

  toFrontPage: 'Zur Startseite',
  tryAgain: 'Noch einmal versuchen',
  incident: 'Vorfall',

  error400: 'Wir konnten diese Anfrage nicht lesen',
  error401: 'Zugriff verweigert',
  error403: 'Dazu bist du nicht berechtigt',
  error404: 'Nicht gefunden',
  error409: 'Das konnte nicht gespeichert werden',
  error410: 'Nicht mehr verfügbar',
  error413: 'Zu groß',
  error429: 'Zu viele Versuche',
  error500: 'Etwas ist schiefgelaufen',
  error503: 'Vorübergehend nicht verfügbar',
  error400Text: 'Ein Teil des Links oder des Formulars ist ungültig. Prüfe ihn und versuche es noch einmal.',
  error401Text: 'Der Schlüssel, das Passwort oder die Signatur fehlt oder ist falsch.',
  error403Text: 'Du hast keinen Zugriff auf diese Seite, oder diese Website ist deaktiviert.',
  error404Text: 'Hier ist nichts. Vielleicht ist der Link vertippt, gelöscht oder abgelaufen.',
  error409Text: 'Es gibt schon etwas mit diesem Namen, oder es wurde inzwischen geändert.',
  error410Text: 'Was hier war, gibt es nicht mehr.',
  error413Text: 'Was du gesendet hast, ist größer, als diese Website erlaubt.',
  error429Text: 'Warte einen Moment und versuche es dann noch einmal.',
  error500Text:
    'Das Problem liegt bei uns. Wenn es wieder passiert, nenne dem Betreiber diese Vorfallnummer.',
  error503Text: 'Versuche es in ein paar Sekunden noch einmal.',
}
