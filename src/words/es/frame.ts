import type { frame as english } from '../en/frame.ts'
import type { WordsOf } from '../words-of.ts'

export const frame: WordsOf<typeof english> = {
  skip: 'Ir al contenido',
  navigation: 'Principal',
  language: 'Idioma',
  theme: 'Tema',
  themeAuto: 'Automático',
  themeLight: 'Claro',
  themeDark: 'Oscuro',
  close: 'Cerrar',
  undo: 'Deshacer',
  newer: 'Más nuevos',
  older: 'Más antiguos',
  ofLimit: (used, limit) => `${used} de ${limit}`,

  keys: 'Teclas',
  keysSwitch: 'Usar letras sueltas como teclas',
  keyCopy: 'Copiar en el último formato usado',
  keyDownload: 'Descargar',
  keyFullScreen: 'Pantalla completa',
  keyDetails: 'Detalles',
  keyList: 'Esta lista',

  toFrontPage: 'Ir a la portada',
  tryAgain: 'Intentar de nuevo',
  incident: 'Incidente',
}
