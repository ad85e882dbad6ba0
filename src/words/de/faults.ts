import type { FaultTexts } from '../../lib/faults.ts'
import type { Refusals } from '../en/faults.ts'

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
  malformed: ({ detail }) => `Das konnte nicht gelesen werden: ${detail}`,
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
    `Auf dieser Site hat eine Datei höchstens ${most} Schlagwörter, eingegeben sind ${count}.`,

  oneOf: ({ words }) => `Wähle eins davon: ${words.join(', ')}.`,
  trueOrFalse: () => 'Gib true oder false ein.',
  zeroOrOne: () => 'Gib 0 oder 1 ein.',
  wholeNumber: ({ given }) =>
    given === undefined ? 'Gib eine ganze Zahl ein.' : `Gib eine ganze Zahl ein, nicht „${given}“.`,
  numberRange: ({ least, most, given }) =>
    `Gib eine ganze Zahl von ${least} bis ${most} ein${given === undefined ? '' : `, nicht ${given}`}.`,
  numberOfUnits: ({ unit, least, most }) => `Gib eine Zahl von ${least} bis ${most} ${units[unit]} ein.`,
  numberFrom: ({ least }) => `Gib eine ganze Zahl ab ${least} ein.`,
  size: () => 'Gib eine ganze Zahl ein, danach darf K, M oder G stehen.',
  seconds: ({ least, most }) => `Gib ${least} bis ${most} Sekunden ein.`,
  duration: () => 'Wähle eine Dauer aus der Liste.',
  time: () => 'Gib Datum und Uhrzeit ein.',
  future: () => 'Wähle einen Zeitpunkt in der Zukunft.',
  day: () => 'Gib einen Tag wie 2027-01-31 an.',
  dayOrder: () => 'Der erste Tag darf nicht nach dem letzten liegen.',
  onlyWithJson: () => 'Das geht nicht zusammen mit CSV.',
  timeZone: () => 'Gib eine Zeitzone wie Europe/Berlin ein.',
  colour: () => 'Gib eine Farbe wie #1d6652 ein oder lass das Feld leer.',

  id: () => 'Das ist keine gültige ID.',
  email: () => 'Gib eine E-Mail-Adresse ein.',
  username: () => 'Erlaubt sind 3 bis 32 dieser Zeichen: A-Z a-z 0-9 _ . -',
  passwordCommon: () => 'Dieses Passwort ist verbreitet und leicht zu erraten. Wähle ein anderes.',
  passwordName: () =>
    'Nimm nicht deinen Benutzernamen, deine E-Mail-Adresse oder den Namen dieser Site als Passwort.',
  passwordMissing: () => 'Gib ein Passwort für dieses Album ein.',
  passwordUnneeded: () => 'Ein Passwort gibt es nur bei „Alle mit dem Passwort“.',
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
  secretNeeded: () => 'Du hast den Issuer geändert. Gib auch sein Client-Secret ein.',
  origin: () => 'Gib einen Origin wie https://app.example.com ein.',
  addressRange: () => 'Gib eine Adresse oder einen Bereich wie 192.0.2.0/24 ein.',
  preference: () => 'Wähle eine der Möglichkeiten.',

  albumOfFileOwner: () => 'Wähle ein Album, das der Person gehört, der auch die Datei gehört.',
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
  siteAddress: () => 'Gib die Adresse einer Seite dieser Site ein.',
  imageAddress: () => 'Gib die Adresse einer Datei dieser Site ein.',
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
  tenantId: () => 'Erlaubt sind 1 bis 64 Zeichen aus A-Z a-z 0-9 _ -, zuerst ein Buchstabe oder eine Ziffer.',
  reservedId: ({ id }) => `„${id}“ ist reserviert. Wähle eine andere ID.`,
  tenantOfList: () => 'Gib die ID eines Mandanten ein.',
  hostname: () => 'Gib einen Hostnamen wie fotos.example.com ein.',
  valueName: () => 'Erlaubt sind nur A-Z, 0-9 und _, zuerst ein Buchstabe.',
  valueInEnv: () => 'Setze das unter „env“, das verschlüsselt gespeichert wird.',
  databaseUrl: () => 'Gib die Adresse einer PostgreSQL-Datenbank ein oder sqlite: für den Datenordner.',
  storageUrl: () => 'Gib die Adresse eines Buckets ein oder disk: für den Datenordner.',
  allowList: () => 'Gib Hostnamen oder Adressen ein, durch Kommas getrennt.',
}

/** Warum etwas abgelehnt wurde, wenn kein Feld daran schuld ist. */
const refusals: Refusals = {
  'limit-reached': ({ name, limit }) =>
    `Die Grenze dieser Site ist erreicht (${name}: ${limit}). Der Betreiber kann sie erhöhen.`,
  'quota-reached': () => 'Der Speicher dieser Site ist voll. Der Betreiber kann die Grenze erhöhen.',
  'rate-limited': () => 'Das war zu oft. Warte eine Minute und versuche es dann noch einmal.',
  flood: ({ most }) =>
    `In dieser Zeit kannst du höchstens ${most} Dateien hochladen. Versuche es später noch einmal.`,
  'scope-missing': () => 'Das darfst du nicht.',
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
    'Richte zuerst deinen eigenen zweiten Schritt ein, unter Einstellungen › Sicherheit.',
  'second-step-required': () => 'Diese Site verlangt von Administratoren und Managern einen zweiten Schritt.',
  'may-not-upload': () => 'Hier kannst du nichts hochladen.',
  'url-uploads-off': () => 'Uploads per Link sind hier nicht möglich. Wähle stattdessen die Datei aus.',
  'empty-source': () => 'Wähle zuerst eine Datei.',
  'file-too-big': ({ size }) => `Diese Datei ist zu groß. Die Grenze ist ${size}.`,
  duplicate: () => 'Diese Datei wurde schon hochgeladen.',
  'not-media': () => 'Das ist kein Bild oder Video eines Typs, den diese Site annimmt.',
  'kind-off': ({ kind }) => `Diese Site nimmt keine ${kind}-Dateien an.`,
  'not-decodable': () => 'Diese Datei ist beschädigt oder unvollständig, oder sie ist zu aufwendig.',
  'too-many-pixels': () => 'Dieses Bild hat zu viele Pixel für diese Site.',
  'too-many-frames': () => 'Diese Animation hat zu viele Bilder für diese Site.',
  'url-refused': () => 'Von dieser Adresse konnte die Datei nicht geladen werden.',
  'bad-form': () =>
    'Das Formular konnte nicht gelesen werden. Lade die Seite neu und versuche es noch einmal.',
  'not-picture': () => 'Wähle ein Bild, kein Video. Am besten PNG, JPEG oder WebP.',
  'logo-too-high': ({ width, height }) =>
    `Ein Logo darf höchstens doppelt so hoch wie breit sein. Dieses hat ${width} × ${height} Pixel.`,
  'listing-off': () => 'Diese Website zeigt keine Listen hochgeladener Dateien.',
  'members-only': () => 'Diese Website zeigt ihre Listen nur angemeldeten Personen.',
  'page-for-staff': () => 'Diese Seite ist für Administratoren und Manager der Website.',
  'page-for-admins': () => 'Diese Seite ist für Administratoren der Website.',
  'site-disabled': () => 'Der Betreiber hat diese Website deaktiviert. Versuche es später noch einmal.',
  'not-same-origin': () =>
    'Dieses Formular kam nicht von einer Seite dieser Website. Öffne die Seite neu und sende es von dort.',
  'too-many-logins': () =>
    'Zu viele falsche Passwörter. Warte ein paar Minuten und versuche es dann noch einmal.',
  'log-in-slowed': () =>
    'Für dieses Konto wurden viele falsche Passwörter eingegeben. Warte einen Moment und versuche es dann noch einmal.',
  'too-many-passwords': () =>
    'Von deiner Adresse kamen zu viele falsche Passwörter. Warte ein paar Minuten und versuche es dann noch einmal.',
  'too-many-passwords-here': () =>
    'Für diesen Link wurden zu viele falsche Passwörter eingegeben. Warte ein paar Minuten und versuche es dann noch einmal.',
  'too-many-mails': () =>
    'Von deiner Adresse kamen zu viele Anfragen. Versuche es in einer Stunde noch einmal.',
  'too-many-connects': () =>
    'Von deiner Adresse wurden zu viele Anmeldungen begonnen. Versuche es in zehn Minuten noch einmal.',
  'too-many-reports': () =>
    'Von deiner Adresse wurden zu viele Dateien gemeldet. Versuche es in einer Stunde noch einmal.',
  'already-reported': () => 'Du oder ein anderer Besucher mit deiner Adresse hat diese Datei schon gemeldet.',
  'already-connected': () => 'Du hast schon ein anderes Konto dieses Anbieters verbunden. Trenne es zuerst.',
  'identity-taken': () => 'Dieses Konto des Anbieters ist hier mit einem anderen Benutzer verbunden.',
  'email-unverified': () => 'Der Anbieter hat deine E-Mail-Adresse nicht bestätigt.',
  'connect-ended': () =>
    'Diese Anmeldung ist abgelaufen oder wurde nicht in diesem Browser begonnen. Beginne noch einmal.',
  'log-in-ended': () => 'Diese Anmeldung ist abgelaufen. Beginne noch einmal mit deinem Passwort.',
  'log-in-too-old': () =>
    'Deine letzte Anmeldung beim Anbieter ist mehr als zehn Minuten her. Melde dich dort noch einmal an.',
  'last-way-in': () =>
    'Anders kannst du dich nicht anmelden. Lege zuerst ein Passwort fest oder füge einen Passkey hinzu.',
  'provider-refused': () => 'Der Anbieter hat dich nicht angemeldet.',
  'provider-mistaken': () =>
    'Der Anbieter hat unerwartet geantwortet, deshalb wurde nichts geändert. Versuche es noch einmal.',
  'provider-unavailable': () =>
    'Der Anbieter ist gerade nicht erreichbar. Versuche es später noch einmal oder melde dich anders an.',
  'passkey-refused': () => 'Dieser Passkey wurde nicht akzeptiert. Versuche es noch einmal.',
  'set-up-ended': () => 'Diese Einrichtung ist mehr als eine Stunde alt. Beginne noch einmal.',
  'too-many-passkeys': () => 'Mehr Passkeys kann ein Konto nicht haben. Entferne zuerst einen.',
  'brand-picture-too-large': ({ size }) => `Das Bild darf höchstens ${size} groß sein.`,
}

export const refused = { faults, refusals }
