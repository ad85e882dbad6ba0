import type { errors as english } from '../en/errors.ts'
import type { WordsOf } from '../words-of.ts'

export const errors: WordsOf<typeof english> = {
  error400: 'No se ha entendido la petición',
  error401: 'Identifícate, por favor',
  error403: 'No permitido',
  error404: 'No encontrado',
  error409: 'Ya hay otro registro',
  error413: 'Demasiado grande',
  error429: 'Demasiados intentos',
  error500: 'Algo ha fallado',
  error503: 'No disponible por el momento',
  error400Text: 'La dirección o lo enviado con ella no es correcto.',
  error401Text: 'Falta una clave, una contraseña o una firma, o no es correcta.',
  error403Text: 'Esto no es para ti, o el sitio está desactivado.',
  error404Text: 'No hay nada en esta dirección. Puede estar mal escrita, eliminada o caducada.',
  error409Text: 'Lo que quieres guardar ya existe.',
  error413Text: 'Lo enviado es mayor de lo que acepta este sitio.',
  error429Text: 'Espera un poco e inténtalo de nuevo.',
  error500Text: 'Es culpa nuestra, no tuya. Di al operador el número del incidente.',
  error503Text: 'Inténtalo de nuevo en unos segundos.',
}
