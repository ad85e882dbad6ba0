import type { mail as english } from '../en/mail.ts'
import type { WordsOf } from '../words-of.ts'

export const mail: WordsOf<typeof english> = {
  emailUnconfirmed: 'Todavía no has confirmado esta dirección.',
  emailPending: (email) => `Confirma ${email}: te hemos enviado un enlace. Sirve durante 24 horas.`,
  emailPendingText: 'Hasta entonces, tu cuenta conserva la dirección actual.',
  emailResend: 'Enviar el enlace otra vez',
  emailSendLink: 'Enviar un enlace de confirmación',
  emailCancel: 'Cancelar el cambio',
  noEmail: 'Aún sin dirección',
  addressMailSubject: (site) => `Confirma tu correo electrónico para ${site}`,
  addressMail: ({ site, username = '', link }) =>
    `La cuenta ${username} en ${site} quiere usar esta dirección de correo.\n\nAbre este enlace en 24 horas para confirmarla:\n${link}\n\nSi no es tu cuenta, no abras el enlace. Puedes ignorar este mensaje.\n`,
  addressTitle: 'Confirma tu correo electrónico',
  addressText: ({ email, username }) => `¿Usar ${email} para la cuenta ${username}?`,
  addressYes: 'Confirmar la dirección',
  addressDone: 'Tu correo electrónico está confirmado. Ya puedes entrar.',
  notices: {
    'password-changed': 'Tu contraseña ha cambiado',
    'address-changed': 'Tu correo electrónico ha cambiado',
    'passkey-added': 'Se ha añadido una clave de acceso a tu cuenta',
    'passkey-removed': 'Se ha quitado una clave de acceso de tu cuenta',
    'provider-connected': 'Se ha conectado una cuenta de otro servicio con la tuya',
    'provider-disconnected': 'Se ha desconectado una cuenta de otro servicio de la tuya',
    'second-step-on': 'Se ha activado el segundo paso al entrar',
    'second-step-off': 'Se ha desactivado el segundo paso al entrar',
  },
  noticeMail: ({ what, site, username = '', link }) =>
    `${what}.\n\nSe trata de la cuenta ${username} en ${site}.\n\nSi has sido tú, no tienes que hacer nada. Si no, pon ahora una contraseña nueva; así también terminan todas las sesiones:\n${link}\n`,
  addressNoticeMail: ({ what, site, username = '' }) =>
    `${what}.\n\nSe trata de la cuenta ${username} en ${site}. Los mensajes sobre ella van ahora a la dirección nueva.\n\nSi has sido tú, no tienes que hacer nada. Si no, pide ayuda enseguida a los administradores de ${site}.\n`,
}
