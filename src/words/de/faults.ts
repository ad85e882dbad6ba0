import type { FaultTexts } from '../../lib/faults.ts'
import { type Counted, countOfLimit, type Refusals } from '../en/faults.ts'

const units = { seconds: 'Sekunden', days: 'Tagen' }

/** Was an einem Feld nicht stimmt, unter diesem Feld. */
const faults: FaultTexts = {
  required: () => 'Fülle dieses Feld aus.',
  requiredFor: ({ action }) => `Das ist für „${action}“ erforderlich.`,
  unknownField: () => 'Dieses Formular hat kein solches Feld.',
  unknownParameter: () => 'Diese Adresse hat keinen solchen Parameter.',
  noField: () => 'Fülle mindestens ein Feld aus.',
  noSetField: () => 'Ändere mindestens ein Feld.',
  bodyForm: () => 'Das Formular konnte nicht gelesen werden. Lade die Seite neu und versuche es noch einmal.',
  malformed: () => 'Das konnte nicht gelesen werden. Lade die Seite neu und versuche es noch einmal.',
  givenTwice: () => 'Das ist doppelt angegeben.',
  empty: () => 'Fülle dieses Feld aus.',
  type: () => 'Gib einen Wert der richtigen Art ein.',
  form: () => 'Gib das in der erwarteten Form ein.',
  keyword: () => 'Dieser Wert ist nicht erlaubt.',
  inexactNumber: ({ given }) => `Die Zahl ${given} hat zu viele Stellen.`,

  textNumberOrBoolean: () => 'Gib einen Text oder eine Zahl ein.',
  utf8: () => 'Das ist kein gültiger Text (UTF-8).',
  percentEncoding: () => 'Diese Adresse ist falsch kodiert.',
  formEncoding: () => 'Dieses Formular ist falsch kodiert.',
  nul: () => 'Entferne die unsichtbaren Zeichen.',
  controlCharacters: () => 'Entferne Zeilenumbrüche und unsichtbare Zeichen.',
  blankOrControlCharacters: () => 'Gib einen Text ohne Zeilenumbrüche und unsichtbare Zeichen ein.',
  tagCharacters: () => 'Ein Schlagwort darf keine Kommas und keine unsichtbaren Zeichen enthalten.',
  blankOrTagCharacters: () =>
    'Ein Schlagwort darf nicht leer sein und keine Kommas oder unsichtbaren Zeichen enthalten.',
  tagOfList: ({ tag }) => `„${tag}“ kann kein Schlagwort sein. Erlaubt sind 1 bis 32 Zeichen ohne Kommas.`,

  length: ({ least, most, length }) =>
    `Erlaubt sind ${least} bis ${most} Zeichen, eingegeben sind ${length}.`,
  leastLength: ({ least, length }) => `Nötig sind mindestens ${least} Zeichen, eingegeben sind ${length}.`,
  mostLength: ({ most, length }) => `Erlaubt sind höchstens ${most} Zeichen, eingegeben sind ${length}.`,
  filledLength: ({ most }) => `Erlaubt sind 1 bis ${most} Zeichen, nicht nur Leerzeichen.`,
  nameLength: ({ most }) => `Erlaubt sind 1 bis ${most} Zeichen.`,
  bytes: ({ most, bytes }) => `Erlaubt sind höchstens ${most} Byte, eingegeben sind ${bytes}.`,
  longerThan: ({ most }) => `Erlaubt sind höchstens ${most} Byte.`,
  urlLength: ({ most }) => `Die Adresse darf höchstens ${most} Zeichen haben.`,
  entries: ({ least, most, count }) => `Wähle ${least} bis ${most} aus, ausgewählt sind ${count}.`,
  mostEntries: ({ most, count }) => `Erlaubt sind höchstens ${most}, eingegeben sind ${count}.`,
  tagsOfFile: ({ most, count }) =>
    `Auf dieser Website hat eine Datei höchstens ${most} Schlagwörter, eingegeben sind ${count}.`,

  oneOf: ({ words }) => `Wähle eins davon: ${words.join(', ')}.`,
  trueOrFalse: () => 'Gib true oder false ein.',
  zeroOrOne: () => 'Gib 0 oder 1 ein.',
  wholeNumber: ({ given }) =>
    given === undefined ? 'Gib eine ganze Zahl ein.' : `Gib eine ganze Zahl ein, nicht „${given}“.`,
  numberRange: ({ least, most, given }) =>
    `Gib eine ganze Zahl von ${least} bis ${most} ein${given === undefined ? '' : `, nicht ${given}`}.`,
  numberOfUnits: ({ unit, least, most }) => `Gib eine Zahl von ${least} bis ${most} ${units[unit]} ein.`,
  percents: () => 'Gib 1 bis 5 ganze Prozentzahlen von 1 bis 100 ein, aufsteigend, zum Beispiel 80,95.',
  numberFrom: ({ least }) => `Gib eine ganze Zahl ab ${least} ein.`,
  size: () => 'Gib eine ganze Zahl mit höchstens 15 Ziffern ein, danach darf K, M oder G stehen.',
  seconds: ({ least, most }) => `Gib ${least} bis ${most} Sekunden ein.`,
  duration: () => 'Wähle eine Dauer aus der Liste.',
  time: () => 'Gib Datum und Uhrzeit ein.',
  future: () => 'Wähle einen Zeitpunkt in der Zukunft.',
  day: () => 'Gib ein Datum wie 2027-01-31 ein.',
  dayOrder: () => 'Der erste Tag darf nicht nach dem letzten liegen.',
  onlyWithJson: () => 'Das geht nicht zusammen mit CSV.',
  timeZone: () => 'Gib eine Zeitzone wie Europe/Berlin ein.',
  colour: () => 'Gib eine Farbe wie #1d6652 ein oder lass das Feld leer.',

  id: () => 'Das ist keine gültige ID.',
  email: () => 'Gib eine E-Mail-Adresse ein.',
  username: () => 'Erlaubt sind 3 bis 32 dieser Zeichen: A-Z a-z 0-9 _ . -',
  passwordCommon: () => 'Dieses Passwort ist verbreitet und leicht zu erraten. Wähle ein anderes.',
  passwordName: () =>
    'Nimm nicht deinen Benutzernamen, deine E-Mail-Adresse oder den Namen dieser Website als Passwort.',
  passwordMissing: () => 'Gib ein Passwort für dieses Album ein.',
  passwordUnneeded: () => 'Lass dieses Feld leer oder wähle „Alle mit dem Passwort“.',
  passwordWrong: () => 'Das ist nicht dein aktuelles Passwort.',
  code: () => 'Dieser Code ist falsch oder wurde schon benutzt. Gib den aktuellen ein.',
  urlKey: () => 'Erlaubt sind 1 bis 64 Zeichen aus a-z, 0-9 und -, aber kein - am Anfang oder Ende.',
  tooComplex: () =>
    'Die Darstellung dieses Textes dauert zu lange. Setze weniger Klammern, Sterne und andere Zeichen hintereinander.',
  home: () => 'Wähle die Upload-Seite, Entdecken oder eine deiner Seiten.',
  publicKey: () => 'Erlaubt sind 16 bis 200 Zeichen ohne Leerzeichen.',
  siteName: ({ most }) => `Erlaubt sind höchstens ${most} Zeichen ohne Zeilenumbrüche.`,
  providerName: () =>
    'Erlaubt sind 1 bis 32 Zeichen aus a-z, 0-9 und -, aber kein - am Anfang oder Ende und nicht „new“.',
  issuer: () => 'Gib eine Adresse wie https://login.example.com/realm ein.',
  scopes: () => 'Gib Scopes ein, durch je ein Leerzeichen getrennt. Einer davon muss openid sein.',
  secretNeeded: () => 'Du hast den Aussteller geändert. Gib auch das Client-Geheimnis ein.',
  origin: () => 'Gib einen Origin wie https://app.example.com ein.',
  addressRange: () => 'Gib eine Adresse oder einen Bereich wie 192.0.2.0/24 ein.',
  preference: () => 'Wähle eine der Möglichkeiten.',

  albumOfFileOwner: () => 'Wähle ein Album, das dem Besitzer der Datei gehört.',
  albumOfUser: () => 'Dieses Album gibt es nicht mehr. Wähle ein anderes.',
  parentAlbum: () => 'Wähle eins deiner eigenen Alben.',
  category: () => 'Diese Kategorie gibt es nicht mehr. Wähle eine andere.',
  unknownCategory: () => 'Diese Kategorie gibt es nicht mehr. Wähle eine andere.',
  heir: () => 'Wähle, was mit den Dateien geschehen soll.',
  tagsTogether: () => 'Ersetze entweder alle Schlagwörter, oder füge einige hinzu und entferne andere.',
  setUnneeded: () => 'Diese Aktion ändert keine Felder.',
  setOfMove: () => 'Wähle ein Album, in das die Dateien verschoben werden.',
  reasonUnneeded: () => 'Ein Grund ist nur beim Ablehnen und Löschen nötig.',
  beforeItself: () => 'Wähle eine Stelle außerhalb der ausgewählten Dateien.',
  uploadsOfFile: () => 'Nur geteilte Alben können Uploads annehmen.',
  uploadsNeeded: () => 'Erlaube zuerst Uploads, bevor du sie begrenzt.',
  fileOfUser: () => 'Dateien von Gästen können nicht geteilt werden.',
  parentPrivacy: () => 'Dieses Album darf nicht offener sein als das Album, in dem es liegt.',
  fileInAlbum: () => 'Wähle eine Datei aus diesem Album.',
  fileBelowAlbum: () => 'Wähle eine Datei aus diesem Album oder einem seiner Unteralben.',
  reportText: () => 'Beschreibe das Problem, weil du „Etwas anderes“ gewählt hast.',
  untakenByShare: () => 'Das lässt sich beim Hochladen in eine Freigabe nicht angeben.',
  untakenWithReplace: () => 'Das lässt sich beim Ersetzen einer Datei nicht ändern.',
  siteAddress: () => 'Gib die Adresse einer Seite dieser Website ein.',
  imageAddress: () => 'Gib die Adresse einer Datei dieser Website ein.',
  signedOptions: () => 'Gib jede Option der Adresse nur einmal an.',
  signedEnd: () => 'Wähle einen Zeitpunkt in den nächsten sieben Tagen.',
  checksum: ({ algorithms }) => `Sende eine Prüfsumme in einer dieser Formen: ${algorithms.join(', ')}.`,
  unsupported: () => 'Das wird nicht unterstützt.',
  unsupportedDefer: () => 'Die Länge muss vor Beginn des Uploads bekannt sein.',
  methodOverride: () => 'Diese Methode wird nicht unterstützt.',
  onlyJson: () => 'Wähle json.',
  uploadFormat: () => 'Wähle json, redirect oder txt.',
  fileAddress: () => 'Gib die Adresse einer Datei ein, die du sehen kannst.',
  tagList: ({ most }) => `Gib 1 bis ${most} Schlagwörter ein, durch Kommas getrennt.`,
  idList: ({ most }) => `Gib 1 bis ${most} IDs ein, durch Kommas getrennt.`,
  sortNeeds: () => 'Diese Reihenfolge gibt es hier nicht.',
  callerNeeded: () => 'Melde dich zuerst an.',
  cursor: () => 'Diese Seite der Liste gibt es nicht mehr. Beginne bei der ersten Seite.',
  idempotencyKey: ({ least, most }) => `Erlaubt sind ${least} bis ${most} sichtbare Zeichen.`,

  searchLength: ({ most }) => `Diese Suche ist zu lang. Erlaubt sind höchstens ${most} Zeichen.`,
  searchTerms: ({ most }) => `Suche nach höchstens ${most} Wörtern, Wortgruppen und Filtern zusammen.`,
  searchExcluded: () =>
    'Füge ein Wort hinzu, das gesucht wird. Alle Wörter hier sind durch ein Minus ausgeschlossen.',
  searchFilter: () => 'Schreib direkt hinter den Doppelpunkt, wonach du suchst, zum Beispiel tag:abend.',
  searchType: () => 'Hinter type: steht image oder video.',
  searchDay: () =>
    'Hinter before: und after: steht ein Tag wie 2026-11-16, ein Monat wie 2026-11 oder ein Jahr.',
  searchWordless: () => 'Gib mindestens einen Buchstaben oder eine Ziffer ein.',

  controlKeyName: () => 'Erlaubt sind 1 bis 100 Zeichen.',
  tenantId: () =>
    'Erlaubt sind 1 bis 64 Zeichen aus A-Z a-z 0-9 _ -. Das erste muss ein Buchstabe oder eine Ziffer sein.',
  reservedId: ({ id }) => `„${id}“ ist reserviert. Wähle eine andere ID.`,
  tenantOfList: () => 'Gib die ID eines Mandanten ein.',
  hostname: () => 'Gib einen Hostnamen wie fotos.example.com ein.',
  valueName: () => 'Erlaubt sind nur A-Z, 0-9 und _. Das erste Zeichen muss ein Buchstabe sein.',
  valueInEnv: () => 'Setze das unter „env“, das verschlüsselt gespeichert wird.',
  databaseUrl: () => 'Gib die Adresse einer PostgreSQL-Datenbank ein oder sqlite: für den Datenordner.',
  storageUrl: () => 'Gib die Adresse eines Buckets ein oder disk: für den Datenordner.',
  allowList: () => 'Gib Hostnamen oder Adressen ein, durch Kommas getrennt.',
}

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

export const refused = { faults, refusals }
