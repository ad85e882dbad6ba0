import type { trash as english } from '../../en/order/trash.ts'
import type { WordsOf } from '../../words-of.ts'

export const trash: WordsOf<typeof english> = {
  trash: 'Papierkorb',
  trashedOne: 'In den Papierkorb gelegt.',
  trashEmpty: 'Der Papierkorb ist leer',
  trashEmptyText: (days) =>
    `Gelöschte Dateien bleiben ${days} Tage hier und können wiederhergestellt werden.`,
  trashText: (days) =>
    `Nach ${days} Tagen werden Dateien endgültig entfernt. Bis dahin sehen nur du und die Administratoren sie.`,
  trashFile: 'Datei',
  trashSince: 'Gelöscht',
  trashUntil: 'Endgültig entfernt',
  trashNote: 'Diese Datei ist im Papierkorb: Nichts von ihr ist unter einer öffentlichen Adresse zu finden.',
  removedByStaff: 'Von der Administration entfernt',
  removedByStaffNote:
    'Die Administration hat diese Datei entfernt. Nur sie kann die Datei wiederherstellen; du kannst sie endgültig löschen.',
  removedByStaffText:
    'Nur die Administration kann diese Dateien wiederherstellen. Du kannst sie endgültig löschen.',
  removalReasonIs: (reason) => `Grund: ${reason}`,
  removalReason: 'Grund',
  removalReasonHint:
    'Für Dateien, die du ablehnst oder löschst. Ihre Besitzer sehen ihn. Höchstens 500 Zeichen.',
  restore: 'Wiederherstellen',
  restoreAll: 'Alle wiederherstellen',
  emptyTrash: 'Papierkorb leeren',
  emptyTrashTitle: 'Papierkorb leeren?',
  emptyTrashText:
    'Alle Dateien darin werden endgültig entfernt, mit allen Links zu ihnen. Das kann nicht rückgängig gemacht werden.',
  trashRest: 'Im Papierkorb sind noch mehr Dateien. Wiederhole es, um fortzufahren.',
  trashKeyRestore: 'Wiederherstellen',
  trashKeyRemove: 'Endgültig entfernen',
}
