import type { shares as english } from '../en/shares.ts'
import type { WordsOf } from '../words-of.ts'

export const shares: WordsOf<typeof english> = {
  passwordNeeded: 'Hace falta una contraseña',
  passwordRefused: 'No se ha abierto: hace falta una contraseña',
  passwordText: 'Este archivo está en un álbum con contraseña. Pídela a la persona que te envió el enlace.',
  passwordLabel: 'Contraseña del álbum',
  passwordShow: 'Mostrar el archivo',
  passwordWrong: 'Esa no es la contraseña de este álbum.',
  passwordTooMany: 'Demasiadas contraseñas erróneas desde tu dirección. Inténtalo de nuevo en 10 minutos.',
  passwordTooManyHere:
    'Se han introducido demasiadas contraseñas erróneas para este enlace. Inténtalo de nuevo en una hora.',

  sharePasswordText: 'Pide la contraseña a la persona que te envió el enlace.',
  sharePasswordLabel: 'Contraseña del enlace',
  sharePasswordWrong: 'Esa no es la contraseña de este enlace.',
  shareOpen: 'Abrir',
  shareMore: 'Más archivos',
  shareNoPicture: 'No hay imagen de este archivo.',
  shareFile: 'Una imagen o un vídeo',
  shareSend: 'Enviar',
  shareSent: 'Tu archivo se ha enviado. Gracias.',

  deleteTitle: '¿Eliminar este archivo?',
  deleteText: 'Desaparecerá al instante para todos, con todos sus enlaces, y no se podrá recuperar.',
  deleteYes: 'Eliminar para siempre',
  deleteNo: 'Conservarlo',
}
