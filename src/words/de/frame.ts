import type { frame as english } from '../en/frame.ts'
import type { WordsOf } from '../words-of.ts'

export const frame: WordsOf<typeof english> = {
  skip: 'Zum Inhalt springen',
  navigation: 'Hauptmenü',
  language: 'Sprache',
  theme: 'Farben',
  themeAuto: 'Automatisch',
  themeLight: 'Hell',
  themeDark: 'Dunkel',
  close: 'Schließen',
  undo: 'Rückgängig',
  newer: 'Neuere',
  older: 'Ältere',
  ofLimit: (used, limit) => `${used} von ${limit}`,

  keys: 'Tasten',
  keysSwitch: 'Einzelne Buchstaben als Tasten benutzen',
  keyCopy: 'Im zuletzt benutzten Format kopieren',
  keyDownload: 'Herunterladen',
  keyFullScreen: 'Vollbild',
  keyDetails: 'Angaben',
  keyList: 'Diese Liste',

  toFrontPage: 'Zur Startseite',
  tryAgain: 'Noch einmal versuchen',
  incident: 'Vorfall',
}
