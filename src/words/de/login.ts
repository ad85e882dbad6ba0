import type { login as english } from '../en/login.ts'
import type { WordsOf } from '../words-of.ts'

export const login: WordsOf<typeof english> = {
  logIn: 'Anmelden',
  logOut: 'Abmelden',
  signUp: 'Registrieren',
  logInRefused: 'Anmeldung fehlgeschlagen',
  loginLabel: 'Benutzername oder E-Mail-Adresse',
  password: 'Passwort',
  stayLoggedIn: 'Auf diesem Gerät angemeldet bleiben',
  logInWrong: 'Benutzername oder Passwort ist falsch.',
  logInTooMany: (minutes) => `Zu viele falsche Passwörter. Versuche es in ${minutes} Minuten noch einmal.`,
  logInSlowed: (seconds) =>
    `Zu viele falsche Passwörter für dieses Konto. Versuche es in ${seconds} Sekunden noch einmal.`,
  forgotten: 'Passwort vergessen?',
  resetDone:
    'Dein Passwort wurde geändert und du wurdest überall abgemeldet. Melde dich mit dem neuen Passwort an.',
  openLine:
    'Deine Verbindung zu dieser Website ist nicht verschlüsselt. Andere können mitlesen, was du sendest, auch dein Passwort.',
  accountOf: (name) => `Konto von ${name}`,
  proveTitle: 'Bestätige, dass du es bist',
  proofWhy:
    'Wir fragen nach 10 Minuten erneut, damit dein Konto geschützt ist, wenn dein Browser offen bleibt.',
  goOn: 'Weiter',
  save: 'Speichern',
  saved: 'Gespeichert.',
  action: 'Aktion',
  never: 'nie',

  username: 'Benutzername',
  usernameHint:
    '3 bis 32 Buchstaben, Ziffern, Punkte, Binde- oder Unterstriche. Er ist Teil des Links zu deiner Seite.',
  usernameFixed: 'Du kannst deinen Benutzernamen nicht ändern, weil er Teil deiner Links ist.',
  usernameTaken: 'Dieser Benutzername ist vergeben. Wähle einen anderen.',
  usernameReserved: 'Dieser Benutzername ist reserviert. Wähle einen anderen.',
  email: 'E-Mail-Adresse',
  emailTaken: 'Ein anderes Konto verwendet diese E-Mail-Adresse.',
  emailConfirmHint: 'Wir schicken dir einen Link, um sie zu bestätigen.',
  passwordHint: '8 bis 128 Zeichen. Ein paar Wörter sind leicht zu merken und schwer zu erraten.',
  currentPassword: 'Dein aktuelles Passwort',
  newPassword: 'Neues Passwort',
  tooManyRequests:
    'Zu viele Anfragen aus deinem Netzwerk in der letzten Stunde. Versuche es später noch einmal.',
  haveAccount: 'Hast du schon ein Konto?',
  mailSent: 'Sieh in deinen E-Mails nach',
  mailMissing:
    'Nach ein paar Minuten nichts angekommen? Sieh im Spam-Ordner nach oder fordere einen neuen Link an.',
  signUpSent: (email) =>
    `Wir haben einen Link an ${email} geschickt. Öffne ihn innerhalb von 24 Stunden, um ein Passwort zu wählen und dein Konto zu erstellen.`,
  confirmTitle: 'Konto erstellen',
  confirmText: (name) => `Dein Benutzername ist ${name}. Wähle ein Passwort, um dein Konto zu erstellen.`,
  confirmYes: 'Konto erstellen',
  resetTitle: 'Passwort vergessen?',
  resetText: 'Gib die E-Mail-Adresse deines Kontos ein. Wir schicken dir einen Link für ein neues Passwort.',
  resetSend: 'Link senden',
  resetSent: (email) =>
    `Wenn es zu ${email} ein Konto gibt, haben wir einen Link dorthin geschickt. Er funktioniert einmal, innerhalb von 30 Minuten.`,
  noMail:
    'Diese Website kann keine E-Mails senden. Bitte einen Administrator dieser Website um ein neues Passwort.',
  newPasswordTitle: 'Neues Passwort festlegen',
  newPasswordText: (name) => `Für das Konto ${name}. Du wirst überall abgemeldet.`,
  newPasswordSave: 'Passwort festlegen',

  addressTitle: 'E-Mail-Adresse bestätigen',
  addressText: ({ email, username }) => `${email} für das Konto ${username} verwenden?`,
  addressYes: 'Adresse bestätigen',
  addressDone: 'Deine E-Mail-Adresse ist bestätigt. Du kannst dich jetzt anmelden.',

  logInEnded: 'Die Anmeldung hat zu lange gedauert oder dein Passwort wurde geändert. Fang noch einmal an.',
  codeTitle: 'Code eingeben',
  code: 'Code',
  codeHint: 'Die sechs Ziffern aus deiner Authenticator-App oder ein Wiederherstellungscode.',
  codeTooMany: (minutes: string) => `Zu viele falsche Codes. Versuche es in ${minutes} Minuten noch einmal.`,
  otherAccount: 'Mit einem anderen Konto anmelden',
  secondStep: 'Bestätigung in zwei Schritten',
  secondStepText: 'Schütze dein Konto zusätzlich zum Passwort mit einem Code von deinem Handy.',
  secondStepOn: 'An',
  secondStepSetUp: 'Bestätigung in zwei Schritten einrichten',
  secondStepChange: 'Ändern',
  totpTitle: 'Bestätigung in zwei Schritten',
  totpScan:
    'Öffne eine Authenticator-App auf deinem Handy, scanne diesen Code und gib die sechs Ziffern ein, die sie anzeigt.',
  totpQr: 'QR-Code für deine Authenticator-App',
  totpSecret: 'Oder gib diesen Schlüssel ein',
  totpCopySecret: 'Schlüssel für deine Authenticator-App kopieren',
  totpConfirmHint: 'Sechs Ziffern. Erst wenn du sie eingibst, ändert sich etwas.',
  totpOn: 'Einschalten',
  totpIsOn: 'Die Bestätigung in zwei Schritten ist an. Beim Anmelden fragen wir dich nach einem Code.',
  totpSince: (ago: string) => `Eingeschaltet ${ago}.`,
  setUpEnded: 'Diese Seite war zu lange offen. Scanne den neuen Code.',
  codesLeft: (count: string) => `Verbleibende Wiederherstellungscodes: ${count}.`,
  renewCodes: 'Neue Wiederherstellungscodes erstellen',
  renewCodesText: 'Zehn neue Codes ersetzen die alten.',
  totpOff: 'Ausschalten',
  totpOffText: 'Zum Anmelden reicht dann dein Passwort.',
  recoveryTitle: 'Deine Wiederherstellungscodes',
  recoveryText:
    'Wenn du dein Handy verlierst, meldest du dich mit einem dieser Codes an. Jeder Code funktioniert einmal.',
  recoveryOnce:
    'Sie werden nicht noch einmal angezeigt. Drucke sie aus oder speichere sie in deinem Passwortmanager.',
  recoveryKept: 'Ich habe sie gespeichert',
  passkeys: 'Passkeys',
  passkeysText: 'Melde dich mit Fingerabdruck, Gesicht oder PIN an. Du brauchst weder Passwort noch Code.',
  passkeyUse: 'Mit einem Passkey anmelden',
  passkeyAdd: 'Passkey hinzufügen',
  passkeyName: 'Name des Passkeys',
  passkeyNameHint: 'Zum Beispiel das Gerät oder der Passwortmanager, der ihn speichert.',
  passkeyMade: 'Erstellt',
  passkeyRename: 'Umbenennen',
  passkeyRemove: 'Entfernen',
  passkeyRemoveText: 'Du kannst dich dann nicht mehr mit diesem Passkey anmelden.',
  passkeyRemoveYes: 'Passkey entfernen',
  passkeyRefused: 'Dieser Passkey wurde nicht akzeptiert. Versuche es noch einmal.',
  passkeyFailed: 'Es wurde kein Passkey verwendet. Versuche es noch einmal.',
  passkeysNeedHttps: 'Passkeys brauchen eine verschlüsselte Verbindung (https).',
  passkeysNeedScript: 'Passkeys brauchen JavaScript.',
  passkeysTooMany: 'Du hast das Limit für Passkeys erreicht. Entferne zuerst einen.',

  logInWith: (title) => `Mit ${title} anmelden`,
  signUpWith: (title) => `Mit ${title} registrieren`,
  proveWith: (title) => `Noch einmal mit ${title} anmelden`,
  proofElsewhere: 'Um fortzufahren:',
  connections: 'Verbundene Konten',
  connectionsText: 'Melde dich mit dem Konto eines anderen Dienstes statt mit einem Passwort an.',
  connectionProvider: 'Anbieter',
  connectionAccount: 'Konto',
  notConnected: 'Nicht verbunden',
  providerIsOff: 'Zurzeit ausgeschaltet',
  connectIt: 'Verbinden',
  disconnectIt: 'Trennen',
  disconnectText: 'Du kannst dich dann nicht mehr damit anmelden.',
  lastWayIn:
    'Das ist deine einzige Möglichkeit, dich anzumelden. Lege zuerst ein Passwort fest oder füge einen Passkey hinzu.',
  setPassword: 'Passwort festlegen',
  setPasswordText:
    'Du meldest dich mit einem verbundenen Konto an. Lege ein Passwort fest, um dich auch ohne es anzumelden.',
  connectFailed: 'Anmeldung fehlgeschlagen',
  connectFailedHere: 'Das Konto wurde nicht verbunden',
  connectEnded:
    'Diese Anmeldung ist abgelaufen, wurde schon verwendet oder in einem anderen Browser gestartet. Fang noch einmal an.',
  connectUnavailable:
    'Der Anbieter ist gerade nicht erreichbar. Versuche es später noch einmal oder melde dich anders an.',
  connectMistaken:
    'Der Anbieter hat eine ungültige Antwort geschickt. Versuche es noch einmal oder melde dich anders an.',
  connectRefused: 'Der Anbieter hat dich nicht angemeldet oder du hast abgebrochen.',
  connectTaken:
    'Dieses Konto ist hier mit einem anderen Benutzer verbunden. Um dich als dieser anzumelden, melde dich zuerst ab.',
  connectOther: 'Du hast schon ein anderes Konto dieses Anbieters verbunden. Trenne es zuerst.',
  connectNoEntry:
    'Du kannst dich mit diesem Konto hier nicht anmelden. Frag die Administratoren dieser Website.',
  connectTooOld:
    'Der Anbieter hat dich nicht erneut nach deiner Anmeldung gefragt. Melde dich dort ab und versuche es noch einmal oder verwende dein Passwort.',
  connectTooMany:
    'Zu viele Anmeldungen aus deinem Netzwerk in den letzten 10 Minuten. Versuche es später noch einmal.',
  connectAnother: 'Anders anmelden',
  connectTitle: (title) => `${title} verbinden`,
  connectConfirm: ({ title, username }) =>
    `Dieses ${title}-Konto mit deinem Konto ${username} verbinden? Danach kannst du dich damit anmelden.`,
  connectYes: 'Konto verbinden',
  connectLogIn: 'Anmelden und verbinden',
  connectNone: (title) => `Dieses ${title}-Konto ist hier mit keinem Konto verbunden.`,
  connectNoneText:
    'Wenn du hier ein Konto hast, melde dich an und verbinde es. Danach kannst du beide Wege nutzen.',
  connectUnverified: (title) =>
    `Zum Registrieren brauchst du eine bestätigte E-Mail-Adresse. Bestätige deine bei ${title} und fang noch einmal an.`,
  connectNew: (title) => `Mit ${title} registrieren`,
  connectNewText: 'Noch ein Schritt: Wähle deinen Benutzernamen.',
  connectHaveOne: 'Hast du hier schon ein Konto?',
}
