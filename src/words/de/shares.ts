import type { shares as english } from '../en/shares.ts'
import type { WordsOf } from '../words-of.ts'

export const shares: WordsOf<typeof english> = {
  passwordNeeded: 'Passwort nötig',
  passwordRefused: 'Nicht geöffnet: Passwort nötig',
  passwordText: 'Diese Datei liegt in einem Album mit Passwort. Wer den Link geschickt hat, kann es nennen.',
  passwordLabel: 'Passwort des Albums',
  passwordShow: 'Datei zeigen',
  passwordWrong: 'Das ist nicht das Passwort dieses Albums.',
  passwordTooMany: 'Von dieser Adresse kamen zu viele falsche Passwörter. In 10 Minuten geht es weiter.',
  passwordTooManyHere:
    'Für diesen Link wurden zu viele falsche Passwörter eingegeben. Versuch es in einer Stunde noch einmal.',

  sharePasswordText: 'Wer den Link geschickt hat, kann das Passwort nennen.',
  sharePasswordLabel: 'Passwort des Links',
  sharePasswordWrong: 'Das ist nicht das Passwort dieses Links.',
  shareOpen: 'Öffnen',
  shareMore: 'Mehr Dateien',
  shareNoPicture: 'Von dieser Datei gibt es kein Bild.',
  shareFile: 'Ein Bild oder Video',
  shareSend: 'Senden',
  shareSent: 'Die Datei ist angekommen. Danke.',

  deleteTitle: 'Diese Datei löschen?',
  deleteText: 'Sie ist dann sofort für alle weg, mit allen Links, und lässt sich nicht wiederherstellen.',
  deleteYes: 'Endgültig löschen',
  deleteNo: 'Behalten',
}
