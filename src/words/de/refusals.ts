import { type Counted, countOfLimit, type Refusals } from '../en/refusals.ts'

const counted: Counted = {
  SERVICE_MAX_FILES: 'Dateien',
  SERVICE_MAX_FILES_PER_USER: 'Dateien pro Konto',
  SERVICE_MAX_ALBUMS: 'Alben',
  SERVICE_MAX_TAGS: 'Schlagwörtern',
  SERVICE_MAX_CATEGORIES: 'Kategorien',
  SERVICE_MAX_PAGES: 'Seiten',
  SERVICE_MAX_USERS: 'Benutzern',
  SERVICE_MAX_ADMINS: 'Administratoren',
  SERVICE_MAX_MANAGERS: 'Managern',
  SERVICE_MAX_SHARES: 'Freigaben',
  SERVICE_MAX_KEYS_PER_USER: 'Schlüsseln',
  SERVICE_MAX_LOGIN_PROVIDERS: 'Anbietern',
  SERVICE_MAX_OPEN_UPLOADS: 'nicht abgeschlossenen Uploads',
}

/** Warum etwas abgelehnt wurde, wenn kein Feld daran schuld ist. */
const refusals: Refusals = {
  'limit-reached': (params) =>
    `Das Limit von ${countOfLimit(counted, params)} ist erreicht. Der Betreiber kann es erhöhen.`,
  'quota-reached': ({ name }) =>
    name === 'SERVICE_MAX_STORAGE_PER_USER'
      ? 'Der Speicher dieses Kontos ist voll. Der Betreiber kann das Limit erhöhen.'
      : 'Der Speicher dieser Website ist voll. Der Betreiber kann das Limit erhöhen.',
  'rate-limited': () => 'Du machst das zu oft. Warte eine Minute und versuche es dann noch einmal.',
  flood: ({ most }) => `Du hast das Limit von ${most} Uploads erreicht. Versuche es später noch einmal.`,
  'scope-missing': () => 'Dazu bist du nicht berechtigt.',
  'form-outdated': () => 'Dieses Formular ist veraltet. Lade die Seite neu und versuche es noch einmal.',
  'form-too-big': () => 'Dieses Formular ist zu groß.',
  'version-differs': () =>
    'Das wurde inzwischen geändert. Sieh es dir an und wiederhole dann deine Änderung.',
  'link-ended': () =>
    'Dieser Link gilt nicht mehr: Er wurde schon benutzt oder ist abgelaufen. Fordere einen neuen an.',
  'file-not-found': () => 'Diese Datei gibt es nicht mehr.',
  'not-your-file': () => 'Diese Datei gehört jemand anderem.',
  'removed-by-staff': () =>
    'Ein Administrator hat diese Datei entfernt. Du kannst sie nicht wiederherstellen, aber endgültig löschen.',
  'file-in-trash': () => 'Diese Datei ist im Papierkorb. Stelle sie zuerst wieder her.',
  'not-in-trash': () => 'Diese Datei ist nicht im Papierkorb.',
  'admins-only': () => 'Das können nur Administratoren ändern.',
  'revision-not-found': () => 'Diese frühere Version gibt es nicht mehr.',
  'other-type': () => 'Die neue Datei muss vom selben Typ sein wie die alte.',
  'album-not-found': () => 'Dieses Album gibt es nicht mehr.',
  'not-your-album': () => 'Dieses Album gehört dir nicht oder existiert nicht mehr. Wähle ein anderes.',
  'album-too-deep': () => 'Alben können höchstens 8 Ebenen tief sein.',
  'album-circle': () => 'Ein Album kann nicht in sich selbst oder eins seiner Unteralben verschoben werden.',
  'category-not-found': () => 'Diese Kategorie gibt es nicht mehr.',
  'tag-not-found': () => 'Dieses Schlagwort gibt es nicht mehr.',
  'page-not-found': () => 'Diese Seite gibt es nicht mehr.',
  'preset-not-found': () => 'Diese Voreinstellung gibt es nicht mehr.',
  'preset-exists': () => 'Es gibt schon eine Voreinstellung mit diesem Namen.',
  'too-many-presets': ({ most }) =>
    `Eine Website hat höchstens ${most} Voreinstellungen. Lösche zuerst eine.`,
  'share-not-found': () => 'Diese Freigabe gibt es nicht mehr.',
  'share-stopped': () => 'Dieser Link funktioniert nicht mehr. Die Freigabe wurde beendet.',
  'share-expired': () => 'Dieser Link ist abgelaufen. Bitte um einen neuen.',
  'share-used-up': () => 'Dieser Link hat sein Limit für Aufrufe erreicht. Bitte um einen neuen.',
  'uploads-used-up': () => 'Diese Sammlung ist voll. Sie nimmt keine weiteren Dateien an.',
  'user-not-found': () => 'Diesen Benutzer gibt es nicht mehr.',
  'user-has-files': () => 'Dieser Benutzer hat Dateien. Wähle, was mit ihnen geschehen soll.',
  'role-too-low': () => 'Einen Benutzer mit dieser Rolle kannst du nicht ändern.',
  'own-file': () => 'Das ist deine eigene Datei. Du kannst sie löschen.',
  'second-step-first': () =>
    'Richte zuerst die Bestätigung in zwei Schritten für dein eigenes Konto ein, unter Einstellungen › Passwort und Sitzungen.',
  'second-step-required': () =>
    'Auf dieser Website brauchen Administratoren und Manager die Bestätigung in zwei Schritten.',
  'may-not-upload': () => 'Hier kannst du nichts hochladen.',
  'url-uploads-off': () => 'Uploads per Link sind hier nicht möglich. Wähle stattdessen die Datei aus.',
  'empty-source': () => 'Wähle zuerst eine Datei.',
  'file-too-big': ({ size }) => `Diese Datei ist zu groß. Das Limit ist ${size}.`,
  duplicate: () => 'Diese Datei wurde schon hochgeladen.',
  'not-media': () => 'Das ist kein Bild oder Video eines Typs, den diese Website annimmt.',
  'kind-off': ({ kind }) => `Diese Website nimmt keine ${kind}-Dateien an.`,
  'not-decodable': () => 'Diese Datei ist beschädigt, unvollständig oder zu aufwendig zu verarbeiten.',
  'too-many-pixels': () => 'Dieses Bild hat zu viele Pixel für diese Website.',
  'too-many-frames': () => 'Diese Animation hat zu viele Bilder für diese Website.',
  'url-refused': () => 'Die Datei konnte nicht von diesem Link heruntergeladen werden.',
  'bad-form': () =>
    'Das Formular konnte nicht gelesen werden. Lade die Seite neu und versuche es noch einmal.',
  'not-picture': () => 'Wähle ein Bild, kein Video. Am besten PNG, JPEG oder WebP.',
  'logo-too-high': ({ width, height }) =>
    `Ein Logo darf höchstens doppelt so hoch wie breit sein. Dieses ist ${width} × ${height} Pixel groß.`,
  'listing-off': () => 'Diese Website hat keine öffentlichen Dateilisten.',
  'members-only': () => 'Melde dich an, um die Listen dieser Website zu sehen.',
  'last-operator': ({ username }) =>
    `„${username}“ ist der letzte Betreiber, der sich anmelden und etwas ändern kann. Zuerst muss ein anderer sein Konto einrichten.`,
  'own-account': () => 'Dein eigenes Konto kannst du nicht löschen. Bitte einen anderen Betreiber darum.',
  'last-second-factor': () =>
    'Das ist dein letzter zweiter Faktor. Füge zuerst einen Passkey hinzu oder richte Codes ein.',
  'invite-ended': () =>
    'Dieser Link wurde schon benutzt oder ist abgelaufen. Bitte einen Betreiber um einen neuen.',
  'move-stopped': ({ missing, damaged }) =>
    `Es wurde nichts verschoben, beide Kopien bleiben erhalten. Stelle diese Dateien aus einer Sicherung wieder her oder lösche sie und starte den Umzug erneut.${missing ? ` Fehlend: ${missing}.` : ''}${damaged ? ` Beschädigt: ${damaged}.` : ''}`,
  'move-lost': () => 'Ein anderer Server hat diesen Umzug beendet. Starte ihn erneut.',
  'site-busy': () => 'Andere Server schreiben noch auf diese Website. Starte später erneut.',
  'rows-differ': () => 'Die Kopie weicht vom Original ab, nichts wurde verschoben. Starte erneut.',
  'work-lost': ({ times }) => `Der Server fiel dabei ${times}-mal aus. Lies die Protokolle, starte erneut.`,
  'tool-ended': () => 'Der Befehl wurde abgebrochen. Nichts ist verloren: Starte ihn erneut.',
  'work-failed': () => 'Etwas ist schiefgegangen. Den Grund nennt das Protokoll des Servers.',
  'key-missing': () =>
    'Das braucht Werte, die kein Schlüssel hier entschlüsselt. Füge ihn wieder hinzu oder setze alle Env-Werte neu.',
  'viewers-only-see': () => 'Mit der Rolle „Betrachter“ kannst du hier alles sehen, aber nichts ändern.',
  'page-for-staff': () => 'Diese Seite ist für Administratoren und Manager der Website.',
  'page-for-admins': () => 'Diese Seite ist für Administratoren der Website.',
  'site-suspended': () =>
    'Der Speicher oder der Datenverkehr dieser Website ist aufgebraucht. Es wurde nichts gelöscht. Wer ein Konto hat, kann sich anmelden und seine Dateien herunterladen oder löschen.',
  'traffic-used-up': () =>
    'Diese Website hat diesen Monat so viele Daten gesendet, wie sie darf. Ab dem nächsten Ersten lassen sich die Dateien wieder öffnen.',
  'site-disabled': () => 'Der Betreiber hat diese Website deaktiviert. Versuche es später noch einmal.',
  'not-same-origin': () =>
    'Dieses Formular kam nicht von einer Seite dieser Website. Öffne die Seite neu und sende es von dort.',
  'too-many-logins': () =>
    'Zu viele falsche Passwörter. Warte ein paar Minuten und versuche es dann noch einmal.',
  'log-in-slowed': () =>
    'Zu viele falsche Passwörter für dieses Konto. Warte einen Moment und versuche es dann noch einmal.',
  'too-many-passwords': () =>
    'Zu viele falsche Passwörter aus deinem Netzwerk. Versuche es in 10 Minuten noch einmal.',
  'too-many-passwords-here': () =>
    'Zu viele falsche Passwörter für diesen Link. Versuche es in einer Stunde noch einmal.',
  'too-many-mails': () =>
    'Zu viele Anfragen aus deinem Netzwerk in der letzten Stunde. Versuche es später noch einmal.',
  'too-many-connects': () =>
    'Zu viele Anmeldungen aus deinem Netzwerk in den letzten 10 Minuten. Versuche es später noch einmal.',
  'too-many-reports': () =>
    'Zu viele Meldungen aus deinem Netzwerk in der letzten Stunde. Versuche es später noch einmal.',
  'already-reported': () =>
    'Du oder jemand in deinem Netzwerk hat diese Datei schon gemeldet. Wir sehen sie uns an.',
  'already-connected': () => 'Du hast schon ein anderes Konto dieses Anbieters verbunden. Trenne es zuerst.',
  'identity-taken': () => 'Dieses Konto ist hier mit einem anderen Benutzer verbunden.',
  'email-unverified': () => 'Der Anbieter hat deine E-Mail-Adresse nicht bestätigt.',
  'connect-ended': () =>
    'Diese Anmeldung ist abgelaufen, wurde schon verwendet oder in einem anderen Browser gestartet. Fang noch einmal an.',
  'log-in-ended': () => 'Diese Anmeldung ist abgelaufen. Fang mit deinem Passwort noch einmal an.',
  'log-in-too-old': () =>
    'Deine letzte Anmeldung beim Anbieter ist mehr als 10 Minuten her. Melde dich dort noch einmal an.',
  'last-way-in': () =>
    'Das ist deine einzige Möglichkeit, dich anzumelden. Lege zuerst ein Passwort fest oder füge einen Passkey hinzu.',
  'provider-refused': () => 'Der Anbieter hat dich nicht angemeldet.',
  'provider-mistaken': () =>
    'Der Anbieter hat eine ungültige Antwort geschickt, deshalb wurde nichts geändert. Versuche es noch einmal.',
  'provider-unavailable': () =>
    'Der Anbieter ist gerade nicht erreichbar. Versuche es später noch einmal oder melde dich anders an.',
  'passkey-refused': () => 'Dieser Passkey wurde nicht akzeptiert. Versuche es noch einmal.',
  'set-up-ended': () => 'Die Einrichtung ist nach einer Stunde abgelaufen. Fang noch einmal an.',
  'too-many-passkeys': () => 'Du hast das Limit für Passkeys erreicht. Entferne zuerst einen.',
  'brand-picture-too-large': ({ size }) => `Das Bild darf höchstens ${size} groß sein.`,
}

export const refused = { refusals }
