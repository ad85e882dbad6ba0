import type { connect as english } from '../en/connect.ts'
import type { WordsOf } from '../words-of.ts'

export const connect: WordsOf<typeof english> = {
  logInWith: (title) => `Anmelden mit ${title}`,
  signUpWith: (title) => `Registrieren mit ${title}`,
  proveWith: (title) => `Neu anmelden mit ${title}`,
  proofElsewhere: 'Zeige dafür, dass du es bist:',
  connections: 'Verbundene Konten',
  connectionsText: 'Mit einem verbundenen Konto meldest du dich hier ohne Passwort an.',
  connectionProvider: 'Anbieter',
  connectionAccount: 'Konto',
  notConnected: 'Nicht verbunden',
  providerIsOff: 'Zurzeit ausgeschaltet',
  connectIt: 'Verbinden',
  disconnectIt: 'Trennen',
  disconnectText: 'Danach meldet es dich nicht mehr an.',
  lastWayIn: 'Das ist dein einziger Weg hinein. Lege zuerst ein Passwort oder einen Passkey an.',
  setPassword: 'Passwort festlegen',
  setPasswordText:
    'Du meldest dich mit einem verbundenen Konto an und hast noch kein Passwort. Mit einem geht es auch ohne dieses Konto.',
  connectFailed: 'Du bist nicht angemeldet',
  connectFailedHere: 'Das Konto ist nicht verbunden',
  connectEnded:
    'Diese Anmeldung hat mehr als zehn Minuten gedauert, wurde schon verwendet oder in einem anderen Browser begonnen. Beginne neu.',
  connectUnavailable:
    'Der Anbieter ist zurzeit nicht zu erreichen. Versuche es später, oder melde dich anders an.',
  connectMistaken:
    'Der Anbieter hat nicht geantwortet, wie er soll; es ist nichts geschehen. Versuche es noch einmal, oder melde dich anders an.',
  connectRefused: 'Der Anbieter hat dich nicht angemeldet, oder du hast dort abgebrochen.',
  connectTaken:
    'Dieses Konto des Anbieters ist hier mit einem anderen Benutzer verbunden. Melde dich zuerst ab, um dich als dieser anzumelden.',
  connectOther: 'Du hast schon ein anderes Konto dieses Anbieters verbunden. Trenne es zuerst.',
  connectNoEntry: 'Dieses Konto kann sich hier nicht anmelden. Frage die Betreiber der Seite.',
  connectTooOld:
    'Der Anbieter kannte dich noch und hat dich nicht neu anmelden lassen, also beweist das nichts. Melde dich dort ab und versuche es noch einmal, oder nimm dein Passwort.',
  connectTooMany:
    'Von deiner Adresse wurden in zehn Minuten zu viele Anmeldungen begonnen. Versuche es später noch einmal.',
  connectAnother: 'Anders anmelden',
  connectTitle: (title) => `${title} verbinden`,
  connectConfirm: ({ title, username }) =>
    `Dieses Konto von ${title} mit deinem Konto ${username} verbinden? Von da an meldet es dich an.`,
  connectYes: 'Konto verbinden',
  connectLogIn: 'Anmelden und verbinden',
  connectNone: (title) => `Kein Konto hier ist mit diesem Konto von ${title} verbunden.`,
  connectNoneText:
    'Hast du hier ein Konto, dann melde dich wie gewohnt an, und verbinde es: Danach geht die Anmeldung auf beiden Wegen.',
  connectUnverified: (title) =>
    `Ein neues Konto braucht eine bestätigte E-Mail-Adresse, und ${title} hat deine nicht bestätigt. Bestätige sie dort, und beginne neu.`,
  connectNew: (title) => `Neues Konto mit ${title}`,
  connectNewText: 'Ein Schritt fehlt noch: der Name, unter dem andere dich hier kennen.',
  connectHaveOne: 'Hast du hier schon ein Konto?',
}
