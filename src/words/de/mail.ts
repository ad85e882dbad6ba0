import type { mail as english } from '../en/mail.ts'
import type { WordsOf } from '../words-of.ts'

export const mail: WordsOf<typeof english> = {
  emailUnconfirmed: 'Du hast diese Adresse noch nicht bestätigt.',
  emailPending: (email) => `Bestätige ${email}: Wir haben dir einen Link geschickt. Er gilt 24 Stunden lang.`,
  emailPendingText: 'Bis dahin behält dein Konto die bisherige Adresse.',
  emailResend: 'Link noch einmal senden',
  emailSendLink: 'Bestätigungslink senden',
  emailCancel: 'Änderung abbrechen',
  noEmail: 'Noch keine Adresse',
  addressMailSubject: (site) => `Bestätige deine E-Mail-Adresse für ${site}`,
  addressMail: ({ site, username = '', link }) =>
    `Das Konto ${username} bei ${site} möchte diese E-Mail-Adresse verwenden.\n\nÖffne diesen Link innerhalb von 24 Stunden, um sie zu bestätigen:\n${link}\n\nWenn das nicht dein Konto ist, öffne den Link nicht. Du kannst diese Mail ignorieren.\n`,
  addressTitle: 'E-Mail-Adresse bestätigen',
  addressText: ({ email, username }) => `${email} für das Konto ${username} verwenden?`,
  addressYes: 'Adresse bestätigen',
  addressDone: 'Deine E-Mail-Adresse ist bestätigt. Du kannst dich jetzt anmelden.',
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
}
