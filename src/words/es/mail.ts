import type { mail as english } from '../en/mail.ts'
import type { WordsOf } from '../words-of.ts'

export const mail: WordsOf<typeof english> = {
  signUpMailSubject: (site) => `Tu cuenta en ${site}`,
  signUpMail: ({ site, link }) =>
    `Te damos la bienvenida a ${site}.\n\nAbre este enlace en 24 horas para elegir una contraseña y crear tu cuenta:\n${link}\n\nSi no lo has pedido, no hagas nada: no se crea ninguna cuenta.\n`,
  knownMail: ({ site, username = '', link }) =>
    `Tú u otra persona quiso usar esta dirección para una cuenta en ${site}. Ya tiene una cuenta: ${username}.\n\nSi has olvidado la contraseña, pide una nueva aquí:\n${link}\n\nSi no has sido tú, puedes ignorar este mensaje.\n`,
  resetMailSubject: (site) => `Contraseña nueva para ${site}`,
  resetMail: ({ site, username = '', link }) =>
    `Se ha pedido una contraseña nueva para la cuenta ${username} en ${site}.\n\nPonla aquí en 30 minutos; el enlace sirve una vez:\n${link}\n\nSi no lo has pedido, no hagas nada: tu contraseña no cambia.\n`,

  addressMailSubject: (site) => `Confirma tu correo electrónico para ${site}`,
  addressMail: ({ site, username = '', link }) =>
    `La cuenta ${username} en ${site} quiere usar esta dirección de correo.\n\nAbre este enlace en 24 horas para confirmarla:\n${link}\n\nSi no es tu cuenta, no abras el enlace. Puedes ignorar este mensaje.\n`,
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

  reportMailSubject: 'Se ha denunciado un archivo',
  reportMail: ({ site, reason, link }: { site: string; reason: string; link: string }) =>
    `Se ha denunciado un archivo en ${site}: ${reason}.\n\nConsérvalo o quítalo aquí:\n${link}\n\nLas demás denuncias de este archivo no se envían por correo, y hay como máximo diez correos por hora.\n`,
}
