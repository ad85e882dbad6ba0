import type { mail as english } from '../en/mail.ts'
import type { WordsOf } from '../words-of.ts'

export const mail: WordsOf<typeof english> = {
  signUpMailSubject: (site) => `Dein Konto bei ${site}`,
  signUpMail: ({ site, link }) =>
    `Willkommen bei ${site}.\n\nÖffne diesen Link innerhalb von 24 Stunden, um ein Passwort zu wählen und dein Konto anzulegen:\n${link}\n\nWenn du nicht darum gebeten hast, tu nichts: Dann wird kein Konto angelegt.\n`,
  knownMail: ({ site, username = '', link }) =>
    `Du oder eine andere Person wollte diese Adresse für ein Konto bei ${site} verwenden. Sie hat schon ein Konto: ${username}.\n\nWenn du das Passwort vergessen hast, fordere hier ein neues an:\n${link}\n\nWenn du das nicht warst, kannst du diese Mail ignorieren.\n`,
  resetMailSubject: (site) => `Neues Passwort für ${site}`,
  resetMail: ({ site, username = '', link }) =>
    `Für das Konto ${username} bei ${site} wurde ein neues Passwort angefordert.\n\nSetze es hier innerhalb von 30 Minuten; der Link gilt einmal:\n${link}\n\nWenn du nicht darum gebeten hast, tu nichts: Dein Passwort bleibt, wie es ist.\n`,

  addressMailSubject: (site) => `Bestätige deine E-Mail-Adresse für ${site}`,
  addressMail: ({ site, username = '', link }) =>
    `Das Konto ${username} bei ${site} möchte diese E-Mail-Adresse verwenden.\n\nÖffne diesen Link innerhalb von 24 Stunden, um sie zu bestätigen:\n${link}\n\nWenn das nicht dein Konto ist, öffne den Link nicht. Du kannst diese Mail ignorieren.\n`,
  notices: {
    'password-changed': 'Dein Passwort wurde geändert',
    'address-changed': 'Deine E-Mail-Adresse wurde geändert',
    'passkey-added': 'Zu deinem Konto wurde ein Passkey hinzugefügt',
    'passkey-removed': 'Von deinem Konto wurde ein Passkey entfernt',
    'provider-connected': 'Ein Konto bei einem anderen Dienst wurde mit deinem verbunden',
    'provider-disconnected': 'Ein Konto bei einem anderen Dienst wurde von deinem getrennt',
    'second-step-on': 'Der zweite Schritt bei der Anmeldung wurde eingeschaltet',
    'second-step-off': 'Der zweite Schritt bei der Anmeldung wurde ausgeschaltet',
  },
  noticeMail: ({ what, site, username = '', link }) =>
    `${what}.\n\nEs geht um das Konto ${username} bei ${site}.\n\nWenn du das warst, musst du nichts tun. Wenn nicht, setze jetzt ein neues Passwort; das beendet auch alle Sitzungen:\n${link}\n`,
  addressNoticeMail: ({ what, site, username = '' }) =>
    `${what}.\n\nEs geht um das Konto ${username} bei ${site}. Mails dazu gehen jetzt an die neue Adresse.\n\nWenn du das warst, musst du nichts tun. Wenn nicht, wende dich sofort an die Administratoren von ${site}.\n`,

  reportMailSubject: 'Eine Datei wurde gemeldet',
  reportMail: ({ site, reason, link }: { site: string; reason: string; link: string }) =>
    `Bei ${site} wurde eine Datei gemeldet: ${reason}.\n\nBehalte oder entferne sie hier:\n${link}\n\nWeitere Meldungen dieser Datei kommen nicht per Mail, und höchstens zehn Mails in der Stunde.\n`,
}
