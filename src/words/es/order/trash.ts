import type { trash as english } from '../../en/order/trash.ts'
import type { WordsOf } from '../../words-of.ts'

export const trash: WordsOf<typeof english> = {
  trash: 'Papelera',
  trashedOne: 'Enviado a la papelera.',
  trashEmpty: 'La papelera está vacía',
  trashEmptyText: (days) => `Los archivos eliminados quedan aquí ${days} días y se pueden restaurar.`,
  trashText: (days) =>
    `Los archivos se quitan para siempre después de ${days} días. Hasta entonces solo los ven tú y los administradores.`,
  trashFile: 'Archivo',
  trashSince: 'Eliminado',
  trashUntil: 'Se quita para siempre',
  trashNote: 'Este archivo está en la papelera: nada de él está en ninguna dirección pública.',
  removedByStaff: 'Retirados por la administración',
  removedByStaffNote:
    'La administración retiró este archivo. Solo ella puede restaurarlo; tú puedes eliminarlo para siempre.',
  removedByStaffText:
    'Solo la administración puede restaurar estos archivos. Tú puedes eliminarlos para siempre.',
  removalReasonIs: (reason) => `Motivo: ${reason}`,
  removalReason: 'Motivo',
  removalReasonHint:
    'Para los archivos que rechaces o elimines. Lo verán sus propietarios. Máximo 500 caracteres.',
  restore: 'Restaurar',
  restoreAll: 'Restaurar todo',
  emptyTrash: 'Vaciar la papelera',
  emptyTrashTitle: '¿Vaciar la papelera?',
  emptyTrashText: 'Todos sus archivos se quitan para siempre, con todos sus enlaces. No se puede deshacer.',
  trashRest: 'Hay más archivos en la papelera. Hazlo otra vez para seguir.',
  trashKeyRestore: 'Restaurar',
  trashKeyRemove: 'Quitar para siempre',
}
