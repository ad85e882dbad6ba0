/** The queue and the files of the dashboard. */
export const dashboardFiles = {
  queuePart: 'Pendientes',
  queueEmpty: 'No hay nada pendiente',
  queueEmptyText: 'Aquí aparecen las subidas que esperan aprobación. Hasta entonces solo las ve su dueño.',
  queueEmptyOff: 'Las subidas se ven al momento: ninguna espera aprobación. Es un ajuste de este sitio.',
  approve: 'Aprobar',
  reject: 'Rechazar',
  approveMarked: 'Aprobar las marcadas',
  rejectMarked: 'Rechazar las marcadas',
  keyApprove: 'Aprobar el primer archivo',
  keyReject: 'Rechazar el primer archivo',
  moderationTitle: 'Quién tiene que esperar',
  moderationLabel: 'Subidas que esperan aprobación',
  moderations: { off: 'Ninguna', guest: 'Las de invitados', all: 'Todas salvo las del equipo' },
  guest: 'Invitado',
  mark: 'Marcar',
  markFiles: 'Marca primero al menos un archivo.',
  filesDone: {
    approve: {
      one: (count: string) => `${count} archivo aprobado.`,
      other: (count: string) => `${count} archivos aprobados.`,
    },
    keep: {
      one: (count: string) => `${count} archivo conservado.`,
      other: (count: string) => `${count} archivos conservados.`,
    },
    reject: {
      one: (count: string) => `${count} archivo rechazado.`,
      other: (count: string) => `${count} archivos rechazados.`,
    },
    trash: {
      one: (count: string) => `${count} archivo movido a la papelera.`,
      other: (count: string) => `${count} archivos movidos a la papelera.`,
    },
    restore: {
      one: (count: string) => `${count} archivo restaurado.`,
      other: (count: string) => `${count} archivos restaurados.`,
    },
  },
  filesUndone: {
    one: (count: string) => `Deshecho para ${count} archivo.`,
    other: (count: string) => `Deshecho para ${count} archivos.`,
  },
  filesNotChanged: {
    one: (count: string) => `${count} archivo cambió entretanto y queda como está.`,
    other: (count: string) => `${count} archivos cambiaron entretanto y quedan como están.`,
  },
  fileShows: {
    all: 'Todos',
    images: 'Imágenes',
    videos: 'Vídeos',
    waiting: 'Pendientes',
    nsfw: 'No apto para todos',
    trash: 'Papelera',
  },
  searchFiles: 'Buscar archivos',
  fileOwner: 'Dueño',
  viewsColumn: 'Vistas',
  uploadedAt: 'Subido',
  state: 'Estado',
  stateWaiting: 'Espera',
  statePrivate: 'Privado',
}
