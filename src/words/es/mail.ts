import type { mail as english, QuotaMailWords } from '../en/mail.ts'
import type { WordsOf } from '../words-of.ts'

export const mail: WordsOf<typeof english> = {
  signUpMailSubject: (site) => `Tu cuenta en ${site}`,
  signUpMail: ({ site, link }) =>
    `Te damos la bienvenida a ${site}.\n\nAbre este enlace en las próximas 24 horas para elegir una contraseña y crear tu cuenta:\n${link}\n\nSi no te has registrado, puedes ignorar este mensaje.\n`,
  knownMail: ({ site, username = '', link }) =>
    `Alguien, quizá tú, ha intentado crear una cuenta en ${site} con esta dirección de correo. Ya tienes una cuenta: ${username}.\n\n¿Has olvidado tu contraseña? Elige una nueva aquí:\n${link}\n\nSi no has sido tú, puedes ignorar este mensaje.\n`,
  resetMailSubject: (site) => `Contraseña nueva para ${site}`,
  resetMail: ({ site, username = '', link }) =>
    `Hemos recibido una solicitud de contraseña nueva para la cuenta ${username} en ${site}.\n\nElígela aquí en los próximos 30 minutos. El enlace funciona una vez:\n${link}\n\nSi no lo has pedido, puedes ignorar este mensaje. Tu contraseña no cambiará.\n`,

  addressMailSubject: (site) => `Confirma tu correo electrónico para ${site}`,
  addressMail: ({ site, username = '', link }) =>
    `La cuenta ${username} en ${site} quiere usar esta dirección de correo.\n\nAbre este enlace en las próximas 24 horas para confirmarla:\n${link}\n\nSi no es tu cuenta, no abras el enlace. Puedes ignorar este mensaje.\n`,
  notices: {
    'password-changed': 'Tu contraseña ha cambiado',
    'address-changed': 'Tu correo electrónico ha cambiado',
    'passkey-added': 'Se ha añadido una llave de acceso a tu cuenta',
    'passkey-removed': 'Se ha quitado una llave de acceso de tu cuenta',
    'provider-connected': 'Se ha conectado una cuenta de otro servicio a la tuya',
    'provider-disconnected': 'Se ha desconectado una cuenta de otro servicio de la tuya',
    'second-step-on': 'Se ha activado la verificación en dos pasos',
    'second-step-off': 'Se ha desactivado la verificación en dos pasos',
  },
  noticeMail: ({ what, site, username = '', link }) =>
    `${what}.\n\nSe trata de tu cuenta ${username} en ${site}.\n\nSi has sido tú, no tienes que hacer nada. Si no, elige ahora una contraseña nueva. Así también se cierran todas tus sesiones:\n${link}\n`,
  addressNoticeMail: ({ what, site, username = '' }) =>
    `${what}.\n\nSe trata de tu cuenta ${username} en ${site}. A partir de ahora enviaremos los mensajes sobre ella a la dirección nueva.\n\nSi has sido tú, no tienes que hacer nada. Si no, contacta de inmediato con los administradores de ${site}.\n`,

  collectedMailSubject: 'Archivos nuevos para ti',
  collectedMail: ({ site, link }) =>
    `Alguien ha añadido archivos a tu álbum en ${site}.\n\nPuedes verlos aquí:\n${link}\n\nComo máximo te enviamos uno de estos correos por hora.\n`,
  reportMailSubject: 'Se ha denunciado un archivo',
  reportMail: ({ site, reason, link }: { site: string; reason: string; link: string }) =>
    `Se ha denunciado un archivo en ${site}: ${reason}.\n\nConsérvalo o quítalo aquí:\n${link}\n\nNo te escribiremos sobre otras denuncias de este archivo y recibirás como máximo diez correos por hora.\n`,
  quotaMailSubject: 'Tu sitio se acerca a un límite',
  quotaMail: ({ site, link, percent, limit, action }) =>
    `${site} ha usado el ${percent} ${quotasInMails[limit]}.\n\n${actionsInMails[action]}\n\nConsulta aquí el uso:\n${link}\n`,
}

const quotasInMails: Record<QuotaMailWords['limit'], string> = {
  SERVICE_MAX_STORAGE: 'de su almacenamiento',
  SERVICE_MAX_TRAFFIC: 'de su tráfico de este mes',
  SERVICE_MAX_TRANSFORMS: 'de sus transformaciones de este mes',
}
const actionsInMails: Record<QuotaMailWords['action'], string> = {
  alert: 'Todo sigue funcionando. Pide al operador del sitio un límite más alto.',
  refuse:
    'Cuando se agote, no se podrá subir o descargar nada más. Elimina archivos o pide al operador del sitio un límite más alto.',
  suspend:
    'Si sigue agotado, se suspenderá todo el sitio. Elimina archivos o pide al operador del sitio un límite más alto.',
}
