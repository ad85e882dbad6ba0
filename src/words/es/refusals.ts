import { type Counted, countOfLimit, type Refusals } from '../en/refusals.ts'

const counted: Counted = {
  SERVICE_MAX_FILES: 'archivos',
  SERVICE_MAX_FILES_PER_USER: 'archivos por cuenta',
  SERVICE_MAX_ALBUMS: 'álbumes',
  SERVICE_MAX_TAGS: 'etiquetas',
  SERVICE_MAX_CATEGORIES: 'categorías',
  SERVICE_MAX_PAGES: 'páginas',
  SERVICE_MAX_USERS: 'usuarios',
  SERVICE_MAX_ADMINS: 'administradores',
  SERVICE_MAX_MANAGERS: 'gestores',
  SERVICE_MAX_SHARES: 'enlaces compartidos',
  SERVICE_MAX_KEYS_PER_USER: 'claves',
  SERVICE_MAX_LOGIN_PROVIDERS: 'proveedores',
  SERVICE_MAX_OPEN_UPLOADS: 'subidas sin terminar',
}

/** Por qué se rechazó algo, cuando no es culpa de un campo. */
const refusals: Refusals = {
  'limit-reached': (params) =>
    `Se ha alcanzado el límite de ${countOfLimit(counted, params)}. El operador puede aumentarlo.`,
  'quota-reached': ({ name }) =>
    name === 'SERVICE_MAX_STORAGE_PER_USER'
      ? 'El almacenamiento de esta cuenta está lleno. El operador puede aumentar el límite.'
      : 'El almacenamiento de este sitio está lleno. El operador puede aumentar el límite.',
  'rate-limited': () => 'Lo estás haciendo demasiado a menudo. Espera un minuto e inténtalo de nuevo.',
  flood: ({ most }) => `Has alcanzado el límite de ${most} subidas. Inténtalo más tarde.`,
  'scope-missing': () => 'No tienes permiso para hacer esto.',
  'form-outdated': () => 'Este formulario ha caducado. Recarga la página e inténtalo de nuevo.',
  'form-too-big': () => 'Este formulario es demasiado grande.',
  'version-differs': () => 'Esto ha cambiado mientras tanto. Revísalo y repite tu cambio.',
  'link-ended': () => 'Este enlace ya no funciona: ya se ha usado o ha caducado. Pide uno nuevo.',
  'file-not-found': () => 'Este archivo ya no existe.',
  'not-your-file': () => 'Este archivo es de otro usuario.',
  'removed-by-staff': () =>
    'Un administrador ha quitado este archivo, así que no puedes restaurarlo. Puedes eliminarlo para siempre.',
  'file-in-trash': () => 'Este archivo está en la papelera. Restáuralo primero.',
  'not-in-trash': () => 'Este archivo no está en la papelera.',
  'admins-only': () => 'Solo los administradores pueden cambiarlo.',
  'revision-not-found': () => 'Esta versión anterior ya no existe.',
  'other-type': () => 'El archivo nuevo debe ser del mismo tipo que el anterior.',
  'album-not-found': () => 'Este álbum ya no existe.',
  'not-your-album': () => 'Este álbum no es tuyo o ya no existe. Elige otro.',
  'album-too-deep': () => 'Los álbumes pueden tener como máximo 8 niveles.',
  'album-circle': () => 'Un álbum no se puede mover dentro de sí mismo ni de uno de sus subálbumes.',
  'category-not-found': () => 'Esta categoría ya no existe.',
  'tag-not-found': () => 'Esta etiqueta ya no existe.',
  'page-not-found': () => 'Esta página ya no existe.',
  'preset-not-found': () => 'Este preajuste ya no existe.',
  'preset-exists': () => 'Ya hay un preajuste con este nombre.',
  'too-many-presets': ({ most }) => `Un sitio tiene como máximo ${most} preajustes. Elimina uno antes.`,
  'share-not-found': () => 'Este enlace compartido ya no existe.',
  'share-stopped': () => 'Este enlace ya no funciona. Se ha dejado de compartir.',
  'share-expired': () => 'Este enlace ha caducado. Pide uno nuevo.',
  'share-used-up': () => 'Este enlace ha alcanzado su límite de visitas. Pide uno nuevo.',
  'uploads-used-up': () => 'Esta colección está llena y no acepta más archivos.',
  'user-not-found': () => 'Este usuario ya no existe.',
  'user-has-files': () => 'Este usuario tiene archivos. Elige qué pasa con ellos.',
  'role-too-low': () => 'No puedes cambiar a un usuario con este rol.',
  'own-file': () => 'Es tu propio archivo. Puedes eliminarlo.',
  'second-step-first': () =>
    'Configura primero la verificación en dos pasos de tu propia cuenta, en Ajustes › Contraseña y sesiones.',
  'second-step-required': () =>
    'En este sitio, los administradores y gestores necesitan la verificación en dos pasos.',
  'may-not-upload': () => 'Aquí no puedes subir archivos.',
  'url-uploads-off': () => 'Aquí no puedes subir archivos desde un enlace. Elige el archivo.',
  'empty-source': () => 'Elige primero un archivo.',
  'file-too-big': ({ size }) => `Este archivo es demasiado grande. El límite es ${size}.`,
  duplicate: () => 'Este archivo ya se había subido.',
  'not-media': () => 'No es una imagen ni un vídeo de un tipo que este sitio acepte.',
  'kind-off': ({ kind }) => `Este sitio no acepta archivos ${kind}.`,
  'not-decodable': () => 'Este archivo está dañado, está incompleto o es demasiado complejo de procesar.',
  'too-many-pixels': () => 'Esta imagen tiene demasiados píxeles para este sitio.',
  'too-many-frames': () => 'Esta animación tiene demasiados fotogramas para este sitio.',
  'url-refused': () => 'No se ha podido descargar el archivo desde este enlace.',
  'bad-form': () => 'No se ha podido leer el formulario. Recarga la página e inténtalo de nuevo.',
  'not-picture': () => 'Elige una imagen, no un vídeo. Lo mejor es PNG, JPEG o WebP.',
  'logo-too-high': ({ width, height }) =>
    `Un logotipo puede ser como máximo el doble de alto que de ancho. Este tiene ${width} × ${height} píxeles.`,
  'listing-off': () => 'Este sitio no tiene listas públicas de archivos.',
  'members-only': () => 'Inicia sesión para ver las listas de este sitio.',
  'last-operator': ({ username }) =>
    `«${username}» es el último operador que puede entrar y hacer cambios. Antes, otro tiene que configurar su cuenta.`,
  'own-account': () => 'No puedes eliminar tu propia cuenta. Pídeselo a otro operador.',
  'last-second-factor': () =>
    'Es tu último segundo factor. Añade antes una llave de acceso o configura los códigos.',
  'invite-ended': () => 'Este enlace ya se usó o ha caducado. Pide uno nuevo a un operador.',
  'move-stopped': ({ missing, damaged }) =>
    `No se ha movido nada y se conservan las dos copias. Restaura estos archivos desde una copia de seguridad o elimínalos y repite el traslado.${missing ? ` Faltan: ${missing}.` : ''}${damaged ? ` Dañados: ${damaged}.` : ''}`,
  'move-lost': () => 'Otro servidor ha terminado este traslado. Inícialo de nuevo.',
  'site-busy': () => 'Otros servidores seguían escribiendo en este sitio. Repite el traslado más tarde.',
  'rows-differ': () => 'La copia no coincide con el original y no se ha movido nada. Repite el traslado.',
  'work-lost': ({ times }) =>
    `El servidor se ha detenido ${times} veces. Consulta los registros y vuelve a empezar.`,
  'tool-ended': () => 'El comando se detuvo antes de terminar. No se ha perdido nada: inícialo de nuevo.',
  'work-failed': () => 'Algo ha fallado. El registro del servidor indica el motivo.',
  'key-missing': () =>
    'Para esto hacen falta valores cifrados que ninguna clave de esta instalación descifra. Vuelve a añadir la clave que falta, o define de nuevo todos los valores env con la herramienta de línea de comandos.',
  'viewers-only-see': () => 'Con el rol de lector puedes verlo todo, pero no cambiar nada.',
  'page-for-staff': () => 'Esta página es para administradores y gestores del sitio.',
  'page-for-admins': () => 'Esta página es para administradores del sitio.',
  'site-suspended': () =>
    'Este sitio ha agotado su almacenamiento o su tráfico. No se ha borrado nada. Quien tenga una cuenta puede iniciar sesión para descargar o eliminar sus archivos.',
  'traffic-used-up': () =>
    'Este sitio ya ha enviado todo lo que puede este mes. Sus archivos se podrán abrir de nuevo a partir del día 1 del próximo mes.',
  'site-disabled': () => 'El operador ha desactivado este sitio. Inténtalo más tarde.',
  'not-same-origin': () =>
    'Este formulario no se ha enviado desde una página de este sitio. Abre la página de nuevo y envíalo desde allí.',
  'too-many-logins': () => 'Demasiadas contraseñas incorrectas. Espera unos minutos e inténtalo de nuevo.',
  'log-in-slowed': () =>
    'Demasiadas contraseñas incorrectas para esta cuenta. Espera un momento e inténtalo de nuevo.',
  'too-many-passwords': () =>
    'Demasiadas contraseñas incorrectas desde tu red. Inténtalo de nuevo en 10 minutos.',
  'too-many-passwords-here': () =>
    'Demasiadas contraseñas incorrectas para este enlace. Inténtalo de nuevo en una hora.',
  'too-many-mails': () => 'Demasiadas solicitudes desde tu red en la última hora. Inténtalo más tarde.',
  'too-many-connects': () =>
    'Demasiados inicios de sesión desde tu red en los últimos 10 minutos. Inténtalo más tarde.',
  'too-many-reports': () => 'Demasiadas denuncias desde tu red en la última hora. Inténtalo más tarde.',
  'already-reported': () => 'Tú o alguien de tu red ya ha denunciado este archivo. Lo revisaremos.',
  'already-connected': () => 'Ya has conectado otra cuenta de este proveedor. Desconéctala primero.',
  'identity-taken': () => 'Esta cuenta está conectada a otro usuario de este sitio.',
  'email-unverified': () => 'El proveedor no ha confirmado tu dirección de correo.',
  'connect-ended': () =>
    'Este inicio de sesión ha caducado, ya se ha usado o empezó en otro navegador. Empieza de nuevo.',
  'log-in-ended': () => 'Este inicio de sesión ha caducado. Empieza de nuevo con tu contraseña.',
  'log-in-too-old': () =>
    'Tu último inicio de sesión con el proveedor fue hace más de 10 minutos. Vuelve a iniciar sesión allí.',
  'last-way-in': () =>
    'Es tu única forma de iniciar sesión. Primero crea una contraseña o añade una llave de acceso.',
  'provider-refused': () => 'El proveedor no ha iniciado tu sesión.',
  'provider-mistaken': () =>
    'El proveedor ha enviado una respuesta no válida y no se ha cambiado nada. Inténtalo de nuevo.',
  'provider-unavailable': () =>
    'No podemos conectar con el proveedor en este momento. Inténtalo más tarde o inicia sesión de otra forma.',
  'passkey-refused': () => 'No se ha aceptado esta llave de acceso. Inténtalo de nuevo.',
  'set-up-ended': () => 'La configuración ha caducado después de una hora. Empieza de nuevo.',
  'too-many-passkeys': () => 'Has alcanzado el límite de llaves de acceso. Quita una primero.',
  'brand-picture-too-large': ({ size }) => `La imagen puede ocupar como máximo ${size}.`,
}

export const refused = { refusals }
