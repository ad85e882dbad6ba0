import type { connect as english } from '../en/connect.ts'
import type { WordsOf } from '../words-of.ts'

export const connect: WordsOf<typeof english> = {
  logInWith: (title) => `Entrar con ${title}`,
  signUpWith: (title) => `Registrarse con ${title}`,
  proveWith: (title) => `Entrar de nuevo con ${title}`,
  proofElsewhere: 'Para esto, demuestra que eres tú:',
  connections: 'Cuentas conectadas',
  connectionsText: 'Con una cuenta que conectes entras aquí sin contraseña.',
  connectionProvider: 'Proveedor',
  connectionAccount: 'Cuenta',
  notConnected: 'Sin conectar',
  providerIsOff: 'Desactivado por ahora',
  connectIt: 'Conectar',
  disconnectIt: 'Desconectar',
  disconnectText: 'Entonces ya no sirve para entrar.',
  lastWayIn: 'Es tu única forma de entrar. Pon antes una contraseña o añade una llave de acceso.',
  setPassword: 'Poner una contraseña',
  setPasswordText:
    'Entras con una cuenta conectada y aún no tienes contraseña. Con una podrás entrar sin ella.',
  connectFailed: 'No has entrado',
  connectFailedHere: 'La cuenta no está conectada',
  connectEnded:
    'Este inicio de sesión tardó más de diez minutos, ya se usó o empezó en otro navegador. Empieza de nuevo.',
  connectUnavailable: 'El proveedor no responde por ahora. Inténtalo más tarde o entra de otra forma.',
  connectMistaken:
    'El proveedor no respondió como debía, así que no se hizo nada. Inténtalo de nuevo o entra de otra forma.',
  connectRefused: 'El proveedor no te dejó entrar, o lo cancelaste allí.',
  connectTaken:
    'Esta cuenta del proveedor está conectada con otro usuario de aquí. Sal primero para entrar como ese usuario.',
  connectOther: 'Ya has conectado otra cuenta de este proveedor. Desconéctala antes.',
  connectNoEntry: 'Esta cuenta no puede entrar aquí. Pregunta a quienes llevan este sitio.',
  connectTooOld:
    'El proveedor ya te conocía y no te pidió que iniciaras sesión de nuevo, así que esto no demuestra nada. Cierra la sesión allí e inténtalo otra vez, o usa tu contraseña.',
  connectTooMany:
    'Se han empezado demasiados inicios de sesión desde tu dirección en diez minutos. Inténtalo más tarde.',
  connectAnother: 'Entrar de otra forma',
  connectTitle: (title) => `Conectar ${title}`,
  connectConfirm: ({ title, username }) =>
    `¿Conectar esta cuenta de ${title} con tu cuenta ${username}? Desde entonces sirve para entrar.`,
  connectYes: 'Conectar la cuenta',
  connectLogIn: 'Entrar y conectarla',
  connectNone: (title) => `Ninguna cuenta de aquí está conectada con esta cuenta de ${title}.`,
  connectNoneText:
    'Si tienes una cuenta aquí, entra como siempre y conéctala: después podrás entrar de las dos formas.',
  connectUnverified: (title) =>
    `Una cuenta nueva necesita una dirección de correo confirmada, y ${title} no ha confirmado la tuya. Confírmala allí y empieza de nuevo.`,
  connectNew: (title) => `Cuenta nueva con ${title}`,
  connectNewText: 'Falta un paso: el nombre con el que otros te conocen aquí.',
  connectHaveOne: '¿Ya tienes una cuenta aquí?',
}
