import type { moderation as english } from '../en/moderation.ts'
import type { WordsOf } from '../words-of.ts'

export const moderation: WordsOf<typeof english> = {
  queuePart: 'Pendientes',
  queueEmpty: 'Nada que aprobar',
  queueEmptyText:
    'Aquí aparecen las subidas que debes aprobar. Hasta entonces, solo las ven sus propietarios.',
  queueEmptyOff:
    'Las subidas aparecen de inmediato, sin aprobación. Puedes cambiarlo en los ajustes del sitio.',
  approve: 'Aprobar',
  reject: 'Rechazar',
  approveMarked: 'Aprobar seleccionados',
  rejectMarked: 'Rechazar seleccionados',
  keyApprove: 'Aprobar el primer archivo',
  keyReject: 'Rechazar el primer archivo',
  moderationTitle: 'Aprobación',
  moderationLabel: 'Subidas que necesitan aprobación',
  moderations: { off: 'Ninguna', guest: 'De invitados', all: 'De todos salvo administradores y gestores' },
  guest: 'Invitado',
  mark: 'Seleccionar',
  markFiles: 'Selecciona primero al menos un archivo.',
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
    one: (count: string) => `${count} archivo ha cambiado mientras tanto y se ha omitido.`,
    other: (count: string) => `${count} archivos han cambiado mientras tanto y se han omitido.`,
  },
  fileShows: {
    all: 'Todos',
    images: 'Imágenes',
    videos: 'Vídeos',
    waiting: 'Pendientes',
    nsfw: 'Contenido sensible',
    trash: 'Papelera',
  },
  searchFiles: 'Buscar archivos',
  fileOwner: 'Propietario',
  viewsColumn: 'Visitas',
  uploadedAt: 'Subido',
  state: 'Estado',
  stateWaiting: 'Pendiente',
  statePrivate: 'Privado',

  reportFile: 'Denunciar este archivo',
  reportTitle: 'Denunciar un archivo',
  reportIntro:
    'Cuéntanos qué problema tiene este archivo. Solo los administradores de este sitio ven tu denuncia.',
  reportReason: '¿Cuál es el problema?',
  reportReasons: {
    illegal: 'Contenido ilegal',
    sexual: 'Contenido sexual',
    abuse: 'Odio, acoso o violencia',
    privacy: 'Muestra a alguien sin su consentimiento',
    copyright: 'Infracción de derechos de autor',
    spam: 'Spam o fraude',
    other: 'Otra cosa',
  },
  reportChoose: 'Elige un motivo',
  reportText: 'Detalles (opcional)',
  reportTextHint: 'Hasta 1.000 caracteres.',
  reportTextNeeded: 'Cuéntanos cuál es el problema.',
  reportTextLong: (length: string) => `Usa hasta 1.000 caracteres. Has escrito ${length}.`,
  reportSend: 'Enviar denuncia',
  reportTwice: 'Tú o alguien de tu red ya ha denunciado este archivo. Lo revisaremos.',
  reportRate: 'Demasiadas denuncias desde tu red en la última hora. Inténtalo más tarde.',
  reportThanks: 'Gracias',
  reportThanksText: 'Hemos recibido tu denuncia. Los administradores de este sitio revisarán el archivo.',
  filesReported: {
    one: (count: string) => `${count} archivo fue denunciado`,
    other: (count: string) => `${count} archivos fueron denunciados`,
  },
  reportsPart: 'Denuncias',
  reportsText:
    'Conserva un archivo para volver a mostrarlo: las denuncias nuevas ya no lo ocultan. Quita un archivo para moverlo a la papelera.',
  reportsEmpty: 'No hay denuncias',
  reportsEmptyText: 'Aquí aparecen los archivos denunciados, hasta que los conserves o los quites.',
  reportCount: {
    one: (count: string) => `${count} denuncia`,
    other: (count: string) => `${count} denuncias`,
  },
  reportedFirst: (ago: string) => `la primera ${ago}`,
  reportTexts: {
    one: (count: string) => `${count} comentario`,
    other: (count: string) => `${count} comentarios`,
  },
  reportHidden: 'Oculto',
  keep: 'Conservar',
  remove: 'Quitar',
  keepMarked: 'Conservar seleccionados',
  removeMarked: 'Quitar seleccionados',
}
