import type { mail as english, QuotaMailWords } from '../en/mail.ts'
import type { WordsOf } from '../words-of.ts'

export const mail: WordsOf<typeof english> = {
  signUpMailSubject: (site) => `Dein Konto bei ${site}`,
  signUpMail: ({ site, link }) =>
    `Willkommen bei ${site}.\n\nÖffne diesen Link innerhalb von 24 Stunden, um ein Passwort zu wählen und dein Konto zu erstellen:\n${link}\n\nWenn du dich nicht registriert hast, kannst du diese E-Mail ignorieren.\n`,
  knownMail: ({ site, username = '', link }) =>
    `Jemand, vielleicht du, wollte mit dieser E-Mail-Adresse ein Konto bei ${site} erstellen. Du hast schon ein Konto: ${username}.\n\nPasswort vergessen? Lege hier ein neues fest:\n${link}\n\nWenn du das nicht warst, kannst du diese E-Mail ignorieren.\n`,
  resetMailSubject: (site) => `Neues Passwort für ${site}`,
  resetMail: ({ site, username = '', link }) =>
    `Für das Konto ${username} bei ${site} wurde ein neues Passwort angefordert.\n\nLege es hier innerhalb von 30 Minuten fest. Der Link funktioniert einmal:\n${link}\n\nWenn du das nicht warst, kannst du diese E-Mail ignorieren. Dein Passwort ändert sich nicht.\n`,

  addressMailSubject: (site) => `Bestätige deine E-Mail-Adresse für ${site}`,
  addressMail: ({ site, username = '', link }) =>
    `Das Konto ${username} bei ${site} möchte diese E-Mail-Adresse verwenden.\n\nÖffne diesen Link innerhalb von 24 Stunden, um sie zu bestätigen:\n${link}\n\nWenn das nicht dein Konto ist, öffne den Link nicht. Du kannst diese E-Mail ignorieren.\n`,
  notices: {
    'password-changed': 'Dein Passwort wurde geändert',
    'address-changed': 'Deine E-Mail-Adresse wurde geändert',
    'passkey-added': 'Zu deinem Konto wurde ein Passkey hinzugefügt',
    'passkey-removed': 'Von deinem Konto wurde ein Passkey entfernt',
    'provider-connected': 'Das Konto eines anderen Dienstes wurde mit deinem verbunden',
    'provider-disconnected': 'Das Konto eines anderen Dienstes wurde von deinem getrennt',
    'second-step-on': 'Die Bestätigung in zwei Schritten wurde eingeschaltet',
    'second-step-off': 'Die Bestätigung in zwei Schritten wurde ausgeschaltet',
  },
  noticeMail: ({ what, site, username = '', link }) =>
    `${what}.\n\nEs geht um dein Konto ${username} bei ${site}.\n\nWenn du das warst, musst du nichts tun. Wenn nicht, lege jetzt ein neues Passwort fest. Damit wirst du auch überall abgemeldet:\n${link}\n`,
  addressNoticeMail: ({ what, site, username = '' }) =>
    `${what}.\n\nEs geht um dein Konto ${username} bei ${site}. E-Mails dazu schicken wir ab jetzt an die neue Adresse.\n\nWenn du das warst, musst du nichts tun. Wenn nicht, wende dich sofort an die Administratoren von ${site}.\n`,

  collectedMailSubject: 'Neue Dateien für dich',
  collectedMail: ({ site, link }) =>
    `Jemand hat Dateien zu deinem Album auf ${site} hinzugefügt.\n\nHier kannst du sie ansehen:\n${link}\n\nWir schicken dir höchstens eine solche E-Mail pro Stunde.\n`,
  reportMailSubject: 'Eine Datei wurde gemeldet',
  reportMail: ({ site, reason, link }: { site: string; reason: string; link: string }) =>
    `Bei ${site} wurde eine Datei gemeldet: ${reason}.\n\nBehalte oder entferne sie hier:\n${link}\n\nÜber weitere Meldungen dieser Datei schreiben wir dir nicht, und du bekommst höchstens zehn E-Mails pro Stunde.\n`,
  quotaMailSubject: 'Deine Website nähert sich einem Limit',
  quotaMail: ({ site, link, percent, limit, action }) =>
    `${site} hat ${percent} ${quotasInMails[limit]} verbraucht.\n\n${actionsInMails[action]}\n\nHier siehst du, was belegt ist:\n${link}\n`,
}

const quotasInMails: Record<QuotaMailWords['limit'], string> = {
  SERVICE_MAX_STORAGE: 'des Speichers',
  SERVICE_MAX_TRAFFIC: 'des Datenverkehrs für diesen Monat',
  SERVICE_MAX_TRANSFORMS: 'der Umwandlungen für diesen Monat',
}
const actionsInMails: Record<QuotaMailWords['action'], string> = {
  alert: 'Alles funktioniert weiter. Frag den Betreiber der Website nach einem höheren Limit.',
  refuse:
    'Ist alles verbraucht, sind keine Uploads oder Downloads mehr möglich. Lösche Dateien oder frag den Betreiber der Website nach einem höheren Limit.',
  suspend:
    'Wenn das so bleibt, wird die ganze Website gesperrt. Lösche Dateien oder frag den Betreiber der Website nach einem höheren Limit.',
}
