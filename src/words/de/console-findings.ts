import type { CheckName, MessageTexts } from '../../lib/messages.ts'
import type { outages as english } from '../en/console-findings.ts'
import type { WordsOf } from '../words-of.ts'

const messages: MessageTexts = {
  nodeTooOld: ({ version }) => `Node ${version} ist zu alt.`,
  useNewerNode: ({ oldest }) =>
    `Starte mit bin/terrace, das sein eigenes Node installiert, oder nimm Node ${oldest} oder neuer.`,
  postgresOld: ({ version }) =>
    `Der Server ist PostgreSQL ${version} und älter als die getesteten Versionen.`,
  useNewerPostgres: ({ oldest }) => `Verwende PostgreSQL ${oldest} oder neuer.`,
  folderNotWritable: () => 'Dieses Konto darf nicht in den Datenordner schreiben.',
  ownFolder: () => 'Mach das Konto des Servers zum Eigentümer und setze die Rechte auf 0750.',
  folderOpen: () => 'Jedes Konto dieses Rechners kann den Datenordner lesen.',
  closeFolder: () => 'Setze seine Rechte auf 0750.',
  diskAlmostFull: ({ size }) => `Auf dem Datenträger sind nur noch ${size} frei.`,
  freeSpace: () => 'Schaffe Platz. Ist der Datenträger voll, wird jede Änderung abgelehnt.',
  secretMissing: () => 'Das Geheimnis fehlt.',
  restoreSecret: () => 'Stelle die Datei wieder her oder setze das Geheimnis in der Umgebung.',
  secretOpen: ({ mode }) => `Die Rechte sind ${mode}: Andere Konten können die Datei lesen.`,
  ffmpegOfPackage: ({ version, name }) => `FFmpeg ${version} aus dem Paket ${name}`,
  ffmpegAt: ({ version, path, source }) => `FFmpeg ${version} unter ${path} (${source})`,
  ffmpegMissing: () => 'FFmpeg fehlt: Videos bekommen weder Standbild noch Vorschaubilder.',
  installFfmpeg: ({ name }) => `Installiere das Paket ${name} oder ffmpeg, oder setze FFMPEG_PATH.`,
  decoderUnconfined: ({ layer, detail }) =>
    `Ein Decoder ${layers[layer] ?? detail}, weil dieser Rechner die Schutzschicht nicht zulässt.`,
  readAboutSandbox: () => 'Lies den Abschnitt „Sandbox of decoders“ in docs/operations.md.',
  decodersFail: ({ fault }) => `Die Decoder starten nicht: ${fault}`,
  mendDecoders: () => 'Behebe die Ursache. Bis ein Decoder startet, werden Uploads abgelehnt.',
  migrationMissing: () => 'In den Tabellen der Installation fehlt diese Migration.',

  runCommand: ({ command }) => `Führe aus: ${command}`,
  startOrRun: ({ command }) => `Starte den Server oder führe aus: ${command}`,
  restartOrRun: ({ command }) => `Starte den Server neu oder führe aus: ${command}`,
  checkReach: () =>
    'Prüfe, ob die Datenbank und der Speicher erreichbar sind, und starte die Prüfungen erneut.',
  restoreTenant: () => 'Stelle diesen Mandanten aus einer Sicherung wieder her.',
  restoreInstallation: () => 'Stelle die Installation aus einer Sicherung wieder her.',

  rowsWithoutParent: ({ count, table, parent }) =>
    `Zeilen von ${table}, deren Bezug in ${parent} fehlt: ${count}`,
  tableNotDistributed: ({ table }) => `Die Tabelle „${table}“ ist nicht verteilt, andere aber schon`,
  tableNotColocated: ({ table, anchor }) =>
    `Die Tabelle „${table}“ liegt nicht auf denselben Knoten wie „${anchor}“`,
  tablesPending: ({ names }) =>
    `Den Tabellen fehlt ${names}. Das wird nachgeholt, sobald die Website das nächste Mal geöffnet wird.`,
  restoreInterrupted: () => 'Eine Wiederherstellung wurde unterbrochen.',
  restoreOfInterrupted: ({ id }) => `Die Wiederherstellung von „${id}“ wurde unterbrochen.`,
  repeatRestore: () => 'Wiederhole sie mit terrace restore.',
  siteDropping: () => 'Die Website wurde gelöscht, aber ihre Daten sind noch da.',
  siteWithoutTenant: () => 'Die Website ist in Betrieb, hat aber keinen Mandanten.',
  siteNotLive: ({ state }) => `Die Website des Mandanten ${states[state] ?? `ist im Zustand ${state}`}.`,
  siteOfOther: ({ id }) => `Der Mandant hat die Website von „${id}“.`,
  tenantEnvSealed: ({ id }) =>
    `Die Env-Werte des Mandanten „${id}“ lassen sich mit den Schlüsseln dieser Installation nicht entschlüsseln.`,
  planEnvSealed: ({ id }) =>
    `Die Env-Werte des Tarifs „${id}“ lassen sich mit den Schlüsseln dieser Installation nicht entschlüsseln.`,
  addKeyOrSetEnv: () =>
    'Füge den Schlüssel, mit dem sie verschlüsselt wurden, hinter dem aktuellen ein oder setze die Env-Werte neu.',
  locationSealed: () => 'Der Speicherort der Daten lässt sich nicht entschlüsseln.',
  addKey: () => 'Füge den Schlüssel, mit dem er verschlüsselt wurde, hinter dem aktuellen ein.',
  operatorSealed: ({ name }) =>
    `Der zweite Faktor des Betreibers „${name}“ lässt sich nicht entschlüsseln. Kein Code wird akzeptiert.`,
  addKeyOrRun: ({ command }) =>
    `Füge den Schlüssel, mit dem er verschlüsselt wurde, hinter dem aktuellen ein, oder führe aus: ${command}`,
  checkStorage: () =>
    'Prüfe, ob der Datenträger eingehängt oder der Bucket aus SERVICE_STORAGE_URL erreichbar ist.',
  strayTables: () => 'Es gibt Tabellen einer unbekannten Website.',
  strayBytes: () => 'Es gibt Dateien einer unbekannten Website.',
  checkSharing: () =>
    'Prüfe, ob eine andere Installation diese Datenbank oder diesen Speicher mitbenutzt. Wenn nicht, lösche sie von Hand.',
  temporaryLeft: () => 'Das hat ein beendeter Prozess zurückgelassen.',
  consoleLocal: ({ url }) =>
    `Die Konsole hat den Hostnamen dieses Mandanten: ${url} ist nur auf diesem Rechner erreichbar.`,
  consoleClosed: ({ url }) => `Die Konsole hat den Hostnamen dieses Mandanten: ${url} ist gesperrt.`,
  setConsoleHostname: () => 'Setze SERVICE_CONSOLE_HOSTNAME auf einen Hostnamen, den kein Mandant hat.',
  jobsLate: ({ at }) => `Jobs waren am ${at} fällig und sind nicht gelaufen.`,
  jobsFailed: ({ count, fault }) => `Jobs sind ${count} Mal fehlgeschlagen: ${fault}`,
  noReasonStored: () => 'kein Grund gespeichert',
  leaseAbandoned: ({ at }) =>
    `Ein Prozess hatte die Website bis ${at} reserviert und nicht freigegeben. Seitdem hat kein anderer sie übernommen.`,
  runJobs: ({ command }) => `Führe die Jobs aus: ${command}`,
  purgeFailing: ({ at, count, fault }) =>
    `Caches wissen noch nichts von Dateien, die am ${at} gelöscht oder verborgen wurden. Fehlgeschlagene Versuche: ${count}. Letzter Grund: ${fault}.`,
  checkPurgeUrl: () =>
    'Prüfe den Empfänger unter SERVICE_PURGE_URL. Anfragen werden einen Tag lang wiederholt.',

  totalWrong: ({ name, stored, counted }) =>
    `Die Summe ${name} ist ${stored}, die Zeilen ergeben ${counted}.`,
  userTotalWrong: (p) =>
    `Für den Benutzer ${p.id} sind ${p.files} Dateien und ${p.used} Bytes gezählt, die Zeilen ergeben ${p.filesNow} Dateien und ${p.usedNow} Bytes.`,
  labelTotalWrong: ({ kind, label, files, listed }) =>
    `${labels[kind]} ${label}: ${files} Dateien zu viel gezählt, davon ${listed} in Listen.`,
  labelTotalOfUserWrong: ({ kind, label, id, files, listed }) =>
    `${labels[kind]} ${label}: ${files} Dateien des Benutzers ${id} zu viel gezählt, davon ${listed} in Listen.`,
  statsDiffer: ({ names }) => `Die gespeicherte Statistik weicht von den Summen der Website ab: ${names}.`,
  sizeWrong: ({ found, expected }) => `Die Datei hat ${found} Bytes statt ${expected}.`,
  bytesMissing: () => 'Der Inhalt der Datei fehlt.',
  restoreBytes: () => 'Stelle den Inhalt aus einer Sicherung wieder her oder lösche die Datei.',
  orphan: () =>
    'Diese Daten gehören zu keiner Datei. Sie stammen von einem abgebrochenen Upload oder wurden von Hand abgelegt.',
  awaitSweep: () => 'Warte auf den Job sweep-orphans oder führe aus: terrace doctor --repair',
  fileDamaged: ({ fault }) => `Die Datei ${fault}.`,
  readsDiffer: () => 'liest sich jedes Mal anders',
  onlyListed: () => 'ist aufgeführt, lässt sich aber nicht lesen',
  readBreaks: () => 'lässt sich nicht zu Ende lesen',
  sizeDiffers: ({ found, expected }) => `hat ${found} Bytes statt ${expected}`,
  bytesDiffer: () => 'hat einen anderen Inhalt, als gespeichert wurde',
  checksumDiffers: () => 'hat eine andere Prüfsumme',
  scrubFound: ({ fault }) => `Die regelmäßige Prüfung hat einen Schaden gefunden: ${fault}.`,
  restoreScrubbed: () =>
    'Stelle den Inhalt aus einer Sicherung wieder her oder lösche die Datei. Die nächste Prüfung entfernt dann diesen Eintrag.',
  bytesNotRemoved: ({ at }) => `Die Datei wurde am ${at} gelöscht, aber ihr Inhalt ist noch da.`,
  runJobsOrRepair: ({ command }) => `Führe aus: ${command}, oder: terrace doctor --repair`,
  fileExpired: ({ at }) => `Die Datei ist am ${at} abgelaufen und noch nicht gelöscht.`,
  checkJobs: ({ command }) => `Prüfe, ob Jobs laufen, oder führe aus: ${command}`,
  rowsElsewhere: () => 'Die Zeilen liegen nicht dort, wo sie laut den Werten des Mandanten hingehören.',
  bytesElsewhere: () => 'Die Dateien liegen nicht dort, wo sie laut den Werten des Mandanten hingehören.',
  moveOrSet: ({ command }) => `Führe aus: ${command}, oder ändere die Werte.`,

  auditChanged: ({ fault }) => `Das Protokoll wurde außerhalb von Terrace geändert: ${fault}.`,
  controlAuditChanged: ({ fault }) =>
    `Das Protokoll der Installation wurde außerhalb von Terrace geändert: ${fault}.`,
  compareAudit: ({ command }) =>
    `Vergleiche es mit einer Sicherung und finde heraus, wer in die Datenbank schreiben kann. Wenn du die Datenbank selbst zurückgesetzt hast, bestätige das Protokoll: ${command}`,
  auditRowChanged: ({ row }) => `Eintrag ${row} ist nicht mehr, wie er geschrieben wurde`,
  auditRowDetached: ({ row }) => `Eintrag ${row} passt nicht zum gespeicherten Ende`,
  auditRowsUnsigned: ({ last }) => `Die Einträge bis ${last} sind nicht die signierten`,
  auditRowsMissing: ({ from, to }) =>
    from === to ? `Eintrag ${from} fehlt` : `Die Einträge ${from} bis ${to} fehlen`,
  auditRowsReverted: ({ from, to }) =>
    `${from === to ? `Eintrag ${from} fehlt` : `Die Einträge ${from} bis ${to} fehlen`}, die Datenbank wurde auf einen früheren Stand zurückgesetzt`,
  auditRowsReturned: ({ from, to }) =>
    `${from === to ? `Der gelöschte Eintrag ${from} ist` : `Die gelöschten Einträge ${from} bis ${to} sind`} wieder da, die Datenbank wurde auf einen früheren Stand zurückgesetzt`,
  auditHeadForged: ({ path }) => `Das signierte Ende in ${path} ist nicht mehr, wie es geschrieben wurde`,
  auditUnsigned: () => 'Die Signatur wurde entfernt',

  backupLacksBytes: ({ folder }) =>
    `Die Sicherung ${folder} ist vollständig, bis auf diese Dateien, die im Speicher fehlen oder beschädigt sind. Mehr dazu unter „Zustand“:`,
  backupOfChangedLogs: ({ folder }) =>
    `Die Sicherung ${folder} ist vollständig. Diese Protokolle wurden außerhalb von Terrace geändert. Mehr dazu unter „Zustand“:`,
  earlierBackupChanged: ({ folder, earlier }) =>
    `Die Sicherung ${folder} ist vollständig. Diese Dateien der früheren Sicherung ${earlier} haben sich seitdem verändert und wurden neu kopiert. Prüfe den Datenträger der früheren Sicherung:`,
  notInBackup: ({ key }) => `${key} (diese Datei fehlt in der Sicherung)`,
  keptFromEarlier: ({ key }) => `${key} (aus der früheren Sicherung übernommen)`,
  changedInEarlier: ({ key }) => `${key}: hat sich in der früheren Sicherung verändert`,
  logOfSite: ({ id, row, fault }) => `${id}: Protokoll ab Eintrag ${row}: ${fault}`,
  logOfInstallation: ({ row, fault }) => `Installation: Protokoll ab Eintrag ${row}: ${fault}`,
  logChanged: ({ log }) => `${log} (außerhalb von Terrace geändert)`,
  backupDamaged: ({ folder }) =>
    `Die Sicherung ${folder} ist beschädigt. Es wurde nichts daraus wiederhergestellt:`,
  partChanged: ({ path }) => `${path}: seit der Sicherung verändert`,
  partUnnamed: ({ path }) => `${path}: steht nicht im Manifest`,
  copyDiffers: ({ path }) => `${path}: nicht der Inhalt, der kopiert wurde`,
  rowCountDiffers: ({ path, found, table, copied }) =>
    `${path}: ${found} Zeilen von ${table}, kopiert wurden ${copied}`,
  notRestorable: ({ folder, why }) => `${folder} lässt sich nicht wiederherstellen: ${why}.`,
  noManifest: () => 'manifest.json fehlt',
  manifestOfOther: () => 'manifest.json hat ein anderes Format',
  manifestChanged: () => 'manifest.json hat sich seit der Sicherung verändert',
  manifestRefused: ({ fault }) => `Datei manifest.json: ${fault}`,
  backupOfNewer: ({ folder }) =>
    `${folder} stammt von einer neueren Version von Terrace. Stelle die Sicherung mit dieser Version wieder her.`,
  backupOfOlder: ({ folder }) =>
    `${folder} stammt von einer älteren Version von Terrace. Stelle die Sicherung mit dieser Version wieder her und aktualisiere danach.`,
}

/** What a decoder can do without a layer of its sandbox. */
const layers: Readonly<Record<string, string>> = {
  network: 'kann auf das Netzwerk zugreifen',
  memory: 'hat kein festes Speicherlimit, sondern wird nur fünfmal pro Sekunde geprüft',
  'file-size': 'kann beliebig große Dateien schreiben',
  descriptors: 'kann beliebig viele Dateien öffnen',
  privileges: 'behält die Rechte des Servers',
  account: 'läuft unter dem Konto des Servers',
  files: 'kann jede Datei öffnen, die sein Konto öffnen darf',
  calls: 'kann jeden Systemaufruf verwenden',
}

const states: Readonly<Record<string, string>> = {
  kept: 'wird nur noch aufbewahrt',
  dropping: 'wird gerade gelöscht',
}

const labels = { tag: 'Schlagwort', category: 'Kategorie' }

const checkNames: Record<CheckName, string> = {
  versions: 'Versionen',
  'data-folder': 'Datenordner',
  secrets: 'Geheimnisse',
  ffmpeg: 'FFmpeg',
  decoders: 'Decoder',
  migrations: 'Migrationen',
  'control-tables': 'Tabellen der Installation',
  'control-rows': 'Mandanten und Websites',
  distribution: 'Verteilung',
  'control-audit': 'Protokoll der Installation',
  encryption: 'Verschlüsselung',
  storage: 'Speicher',
  'stray-sites': 'Unbekannte Websites',
  temporaries: 'Temporäre Dateien',
  console: 'Konsole',
  jobs: 'Jobs',
  purges: 'Caches',
  totals: 'Summen',
  stats: 'Statistik',
  bytes: 'Gespeicherte Dateien',
  contents: 'Dateiinhalte',
  scrub: 'Regelmäßige Prüfung',
  outbox: 'Gelöschte Dateien',
  expired: 'Abgelaufene Dateien',
  audit: 'Protokolle der Websites',
  places: 'Speicherorte',
  'site-tables': 'Tabellen der Websites',
}

const checkTitles: Record<CheckName, string> = {
  versions: 'Node und die Datenbank sind neu genug',
  'data-folder': 'Der Datenordner ist beschreibbar und hat freien Platz',
  secrets: 'Die Dateien mit Geheimnissen sind da, und nur ihr Eigentümer kann sie lesen',
  ffmpeg: 'FFmpeg kann Standbilder aus Videos lesen',
  decoders: 'Decoder starten mit allen Schutzschichten',
  migrations: 'Die Tabellen der Installation sind aktuell',
  'control-tables': 'Die Tabellen der Installation sind unbeschädigt',
  'control-rows': 'Jeder Mandant hat genau eine Website',
  distribution: 'Auf Citus sind alle Tabellen der Websites verteilt oder keine',
  'control-audit': 'Das Protokoll der Installation ist unverändert',
  encryption: 'Alle verschlüsselten Werte lassen sich entschlüsseln',
  storage: 'Der Speicher antwortet',
  'stray-sites': 'Keine Zeilen oder Dateien gehören zu einer unbekannten Website',
  temporaries: 'Es gibt keine temporären Dateien beendeter Prozesse',
  console: 'Kein Mandant hat den Hostnamen der Konsole',
  jobs: 'Jobs laufen ohne Fehler',
  purges: 'Caches erfahren von gelöschten Dateien',
  totals: 'Die Summen jeder Website stimmen mit ihren Zeilen überein',
  stats: 'Die gespeicherte Statistik jeder Website stimmt mit ihren Summen überein',
  bytes: 'Zu jeder Datei gibt es den Inhalt, und nichts ist übrig',
  contents: 'Jede Datei hat den Inhalt, der hochgeladen wurde',
  scrub: 'Die regelmäßige Prüfung hat keinen Schaden gefunden',
  outbox: 'Der Inhalt gelöschter Dateien ist entfernt',
  expired: 'Abgelaufene Dateien sind gelöscht',
  audit: 'Die Protokolle sind unverändert',
  places: 'Jede Website liegt dort, wo sie laut ihren Werten hingehört',
  'site-tables': 'Die Tabellen jeder Website sind unbeschädigt und aktuell',
}

export const consoleFindings = { messages, checkNames, checkTitles }

export const outages: WordsOf<typeof english> = {
  'store-unavailable': () => 'Die Datenbank ist nicht erreichbar. Versuche es gleich noch einmal.',
  'store-busy': () => 'Die Datenbank ist ausgelastet. Versuche es gleich noch einmal.',
  'storage-unavailable': () => 'Der Speicher ist nicht erreichbar. Versuche es gleich noch einmal.',
  'storage-broken': () => 'Der Speicher hat Daten verloren und nimmt keine Dateien mehr an.',
  'disk-full': () => 'Zum Speichern ist kein Platz mehr frei.',
  'backups-unreadable': () =>
    'Der Sicherungsordner kann nicht gelesen werden. Prüfe seinen Pfad und seine Rechte.',
  'site-moving': () => 'Diese Website zieht gerade um. Versuche es gleich noch einmal.',
}
