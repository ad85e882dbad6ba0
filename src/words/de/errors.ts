import type { errors as english } from '../en/errors.ts'
import type { WordsOf } from '../words-of.ts'

export const errors: WordsOf<typeof english> = {
  error400: 'Diese Anfrage ist nicht verständlich',
  error401: 'Bitte weise dich aus',
  error403: 'Nicht erlaubt',
  error404: 'Nicht gefunden',
  error409: 'Ein anderer Eintrag steht im Weg',
  error413: 'Zu groß',
  error429: 'Zu viele Versuche',
  error500: 'Etwas ist schiefgegangen',
  error503: 'Gerade nicht verfügbar',
  error400Text: 'Die Adresse oder das Gesendete ist fehlerhaft.',
  error401Text: 'Ein Schlüssel, ein Passwort oder eine Unterschrift fehlt oder ist falsch.',
  error403Text: 'Das ist nicht für dich, oder die Seite ist abgeschaltet.',
  error404Text: 'Unter dieser Adresse ist nichts. Vielleicht ist sie vertippt, gelöscht oder abgelaufen.',
  error409Text: 'Was du speichern willst, gibt es schon.',
  error413Text: 'Das Gesendete ist größer, als diese Seite annimmt.',
  error429Text: 'Warte ein wenig und versuche es dann noch einmal.',
  error500Text: 'Das ist unser Fehler, nicht deiner. Nenne dem Betreiber die Nummer des Vorfalls.',
  error503Text: 'Versuche es in ein paar Sekunden noch einmal.',
}
