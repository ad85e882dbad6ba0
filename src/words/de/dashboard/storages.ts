/** The storages of the dashboard. */
export const dashboardStorages = {
  storageRuled:
    'Wo Dateien gespeichert werden und wie viele, bestimmt der Betreiber dieser Installation. Auf dieser Seite lässt sich nichts ändern.',
  storageRules: 'Was der Betreiber festgelegt hat',
  storageKind: 'Dateien liegen',
  storageKinds: { disk: 'auf der Platte des Servers', s3: 'in einem Bucket (S3)' },
  storageMost: 'Höchstens Bytes aller Dateien, mit ihren kleineren Fassungen',
  storageMostFiles: 'Höchstens Dateien',
  storageMostUpload: 'Größte Datei',
  storageReserved: (size: string) =>
    `Weitere ${size} sind für Uploads reserviert, die noch nicht fertig sind.`,
  storageByKind: 'Nach Art der Datei',
  storageByUser: 'Nach Benutzer',
  storageEarlier: 'Frühere Bytes ersetzter Dateien',
  storageTrash: (files: string, size: string) =>
    `Im Papierkorb: ${files} (${size}). Sie belegen Speicher, zählen aber nicht als Dateien.`,
  storageGuests: 'Gäste',
  storageAllUsers: 'Alle Benutzer nach Speicher',
}
