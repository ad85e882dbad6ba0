/** The storages of the dashboard. */
export const dashboardStorages = {
  storageRuled:
    'El operador de esta instalación decide dónde se guardan los archivos y cuántos. En esta página no se puede cambiar nada.',
  storageRules: 'Lo que ha fijado el operador',
  storageKind: 'Los archivos se guardan',
  storageKinds: { disk: 'en el disco del servidor', s3: 'en un bucket (S3)' },
  storageMost: 'Máximo de bytes de todos los archivos, con sus versiones pequeñas',
  storageMostFiles: 'Máximo de archivos',
  storageMostUpload: 'Archivo más grande',
  storageReserved: (size: string) => `Otros ${size} están reservados para subidas sin terminar.`,
  storageByKind: 'Por tipo de archivo',
  storageByUser: 'Por usuario',
  storageEarlier: 'Bytes anteriores de archivos sustituidos',
  storageTrash: (files: string, size: string) =>
    `En la papelera: ${files} (${size}). Ocupan espacio, pero no cuentan como archivos.`,
  storageGuests: 'Invitados',
  storageAllUsers: 'Todos los usuarios por almacenamiento',
}
