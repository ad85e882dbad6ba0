import type { CheckName, MessageTexts } from '../../lib/messages.ts'
import type { outages as english } from '../en/console-findings.ts'
import type { WordsOf } from '../words-of.ts'

const messages: MessageTexts = {
  nodeTooOld: ({ version }) => `Node ${version} es demasiado antiguo.`,
  useNewerNode: ({ oldest }) =>
    `Inicia con bin/terrace, que instala su propio Node, o usa Node ${oldest} o posterior.`,
  postgresOld: ({ version }) =>
    `El servidor es PostgreSQL ${version}, anterior a las versiones con las que se ha probado.`,
  useNewerPostgres: ({ oldest }) => `Usa PostgreSQL ${oldest} o posterior.`,
  folderNotWritable: () => 'Esta cuenta no puede escribir en la carpeta de datos.',
  ownFolder: () => 'Haz que la cuenta del servidor sea su propietaria, con permisos 0750.',
  folderOpen: () => 'Cualquier cuenta de este equipo puede leer la carpeta de datos.',
  closeFolder: () => 'Cambia sus permisos a 0750.',
  diskAlmostFull: ({ size }) => `Al disco solo le quedan ${size} libres.`,
  freeSpace: () => 'Libera espacio: con el disco lleno se rechazan todos los cambios.',
  secretMissing: () => 'Falta el secreto.',
  restoreSecret: () => 'Restaura el archivo o define el secreto en el entorno.',
  secretOpen: ({ mode }) => `Los permisos son ${mode}: otras cuentas pueden leer el archivo.`,
  ffmpegOfPackage: ({ version, name }) => `FFmpeg ${version} del paquete ${name}`,
  ffmpegAt: ({ version, path, source }) => `FFmpeg ${version} en ${path} (${source})`,
  ffmpegMissing: () => 'Falta FFmpeg: los vídeos no tendrán fotograma ni miniaturas.',
  installFfmpeg: ({ name }) => `Instala el paquete ${name} o ffmpeg, o define FFMPEG_PATH.`,
  decoderUnconfined: ({ layer, detail }) =>
    `Un decodificador ${layers[layer] ?? detail}, porque este equipo no admite esa capa de protección.`,
  readAboutSandbox: () => 'Consulta «Sandbox of decoders» en docs/operations.md.',
  decodersFail: ({ fault }) => `Los decodificadores no arrancan: ${fault}`,
  mendDecoders: () => 'Corrige la causa. Mientras no arranque ninguno, se rechazan las subidas.',
  migrationMissing: () => 'A las tablas de la instalación les falta esta migración.',

  runCommand: ({ command }) => `Ejecuta: ${command}`,
  startOrRun: ({ command }) => `Inicia el servidor o ejecuta: ${command}`,
  restartOrRun: ({ command }) => `Reinicia el servidor o ejecuta: ${command}`,
  checkReach: () =>
    'Comprueba que se puede acceder a la base de datos y al almacenamiento, y repite las comprobaciones.',
  restoreTenant: () => 'Restaura este inquilino desde una copia de seguridad.',
  restoreInstallation: () => 'Restaura la instalación desde una copia de seguridad.',

  rowsWithoutParent: ({ count, table, parent }) =>
    `Filas de ${table} que apuntan a una fila de ${parent} que no existe: ${count}`,
  tableNotDistributed: ({ table }) => `La tabla «${table}» no está distribuida, aunque otras sí`,
  tableNotColocated: ({ table, anchor }) => `La tabla «${table}» no está en los mismos nodos que «${anchor}»`,
  tablesPending: ({ names }) =>
    `A las tablas les falta ${names}. Se aplicará la próxima vez que se abra el sitio.`,
  restoreInterrupted: () => 'Se ha interrumpido una restauración.',
  restoreOfInterrupted: ({ id }) => `Se ha interrumpido la restauración de «${id}».`,
  repeatRestore: () => 'Repítela con terrace restore.',
  siteDropping: () => 'El sitio se ha eliminado, pero sus datos siguen ahí.',
  siteWithoutTenant: () => 'El sitio está en servicio, pero no tiene inquilino.',
  siteNotLive: ({ state }) => `El sitio del inquilino ${states[state] ?? `está en el estado ${state}`}.`,
  siteOfOther: ({ id }) => `El inquilino tiene el sitio de «${id}».`,
  tenantEnvSealed: ({ id }) =>
    `Los valores de env del inquilino «${id}» no se pueden descifrar con las claves de esta instalación.`,
  planEnvSealed: ({ id }) =>
    `Los valores de env del plan «${id}» no se pueden descifrar con las claves de esta instalación.`,
  addKeyOrSetEnv: () =>
    'Añade detrás de la clave actual la que se usó para cifrarlos, o vuelve a definir los valores de env.',
  locationSealed: () => 'La ubicación de los datos no se puede descifrar.',
  addKey: () => 'Añade detrás de la clave actual la que se usó para cifrarla.',
  operatorSealed: ({ name }) =>
    `El segundo factor del operador «${name}» no se puede descifrar. No se acepta ningún código.`,
  addKeyOrRun: ({ command }) =>
    `Añade detrás de la clave actual la que se usó para cifrarlo, o ejecuta: ${command}`,
  checkStorage: () =>
    'Comprueba que el disco está montado o que se puede acceder al bucket de SERVICE_STORAGE_URL.',
  strayTables: () => 'Hay tablas de un sitio desconocido.',
  strayBytes: () => 'Hay archivos de un sitio desconocido.',
  checkSharing: () =>
    'Comprueba si otra instalación comparte esta base de datos o este almacenamiento. Si no, elimínalos a mano.',
  temporaryLeft: () => 'Lo dejó aquí un proceso que se detuvo.',
  consoleLocal: ({ url }) =>
    `La consola tiene el nombre de host de este inquilino: solo se puede abrir ${url} en este equipo.`,
  consoleClosed: ({ url }) => `La consola tiene el nombre de host de este inquilino: ${url} está cerrada.`,
  setConsoleHostname: () =>
    'Define SERVICE_CONSOLE_HOSTNAME con un nombre de host que no tenga ningún inquilino.',
  jobsLate: ({ at }) => `Las tareas previstas para el ${at} no se han ejecutado.`,
  jobsFailed: ({ count, fault }) =>
    `Las tareas han fallado ${count} ${Number(count) === 1 ? 'vez' : 'veces'}: ${fault}`,
  noReasonStored: () => 'no se ha guardado el motivo',
  leaseAbandoned: ({ at }) =>
    `Un proceso reservó el sitio hasta el ${at} y no lo ha liberado. Desde entonces ningún otro lo ha tomado.`,
  runJobs: ({ command }) => `Ejecuta las tareas: ${command}`,
  purgeFailing: ({ at, count, fault }) =>
    `Las cachés aún no saben de archivos eliminados u ocultados el ${at}. Intentos fallidos: ${count}. Último motivo: ${fault}.`,
  checkPurgeUrl: () =>
    'Comprueba el receptor de SERVICE_PURGE_URL. Las solicitudes se repiten durante un día.',

  totalWrong: ({ name, stored, counted }) =>
    `El total ${name} es ${stored}, pero las filas suman ${counted}.`,
  userTotalWrong: (p) =>
    `Del usuario ${p.id} constan ${p.files} archivos y ${p.used} bytes, pero las filas suman ${p.filesNow} archivos y ${p.usedNow} bytes.`,
  labelTotalWrong: ({ kind, label, files, listed }) =>
    `${labels[kind]} ${label}: se cuentan ${files} archivos de más, ${listed} de ellos en listas.`,
  labelTotalOfUserWrong: ({ kind, label, id, files, listed }) =>
    `${labels[kind]} ${label}: se cuentan ${files} archivos de más del usuario ${id}, ${listed} de ellos en listas.`,
  statsDiffer: ({ names }) => `Las estadísticas guardadas no coinciden con los totales del sitio: ${names}.`,
  sizeWrong: ({ found, expected }) => `El archivo tiene ${found} bytes en lugar de ${expected}.`,
  bytesMissing: () => 'Falta el contenido del archivo.',
  restoreBytes: () => 'Restaura el contenido desde una copia de seguridad o elimina el archivo.',
  orphan: () =>
    'Estos datos no pertenecen a ningún archivo. Son restos de una subida interrumpida, o alguien los puso aquí a mano.',
  awaitSweep: () => 'Espera a la tarea sweep-orphans o ejecuta: terrace doctor --repair',
  fileDamaged: ({ fault }) => `El archivo ${fault}.`,
  readsDiffer: () => 'se lee distinto cada vez',
  onlyListed: () => 'aparece en la lista, pero no se puede leer',
  readBreaks: () => 'no se puede leer hasta el final',
  sizeDiffers: ({ found, expected }) => `tiene ${found} bytes en lugar de ${expected}`,
  bytesDiffer: () => 'no tiene el contenido que se guardó',
  checksumDiffers: () => 'tiene otra suma de comprobación',
  scrubFound: ({ fault }) => `La revisión periódica ha encontrado un daño: ${fault}.`,
  restoreScrubbed: () =>
    'Restaura el contenido desde una copia de seguridad o elimina el archivo. La próxima revisión quitará esta entrada.',
  bytesNotRemoved: ({ at }) => `El archivo se eliminó el ${at}, pero su contenido sigue ahí.`,
  runJobsOrRepair: ({ command }) => `Ejecuta: ${command}, o bien: terrace doctor --repair`,
  fileExpired: ({ at }) => `El archivo caducó el ${at} y aún no se ha eliminado.`,
  checkJobs: ({ command }) => `Comprueba que las tareas se ejecutan, o ejecuta: ${command}`,
  rowsElsewhere: () => 'Las filas no están donde indican los valores del inquilino.',
  bytesElsewhere: () => 'Los archivos no están donde indican los valores del inquilino.',
  moveOrSet: ({ command }) => `Ejecuta: ${command}, o cambia los valores.`,

  auditChanged: ({ fault }) => `El registro se ha modificado fuera de Terrace: ${fault}.`,
  controlAuditChanged: ({ fault }) =>
    `El registro de la instalación se ha modificado fuera de Terrace: ${fault}.`,
  compareAudit: ({ command }) =>
    `Compáralo con una copia de seguridad y averigua quién puede escribir en la base de datos. Si fuiste tú quien restauró la base de datos, acepta el registro: ${command}`,
  auditRowChanged: ({ row }) => `la entrada ${row} no es la que se escribió`,
  auditRowDetached: ({ row }) => `la entrada ${row} no corresponde al final que se escribió`,
  auditRowsUnsigned: ({ last }) => `las entradas hasta la ${last} no son las que se firmaron`,
  auditRowsMissing: ({ from, to }) =>
    from === to ? `falta la entrada ${from}` : `faltan las entradas ${from} a ${to}`,
  auditRowsReverted: ({ from, to }) =>
    `${from === to ? `falta la entrada ${from}` : `faltan las entradas ${from} a ${to}`}, la base de datos se devolvió a un estado anterior`,
  auditRowsReturned: ({ from, to }) =>
    `${from === to ? `ha vuelto la entrada eliminada ${from}` : `han vuelto las entradas eliminadas ${from} a ${to}`}, la base de datos se devolvió a un estado anterior`,
  auditHeadForged: ({ path }) => `el final firmado en ${path} no es el que se escribió`,
  auditUnsigned: () => 'se ha quitado su firma',

  backupLacksBytes: ({ folder }) =>
    `La copia ${folder} está completa, salvo estos archivos, que faltan o están dañados en el almacenamiento. Más información en «Estado»:`,
  backupOfChangedLogs: ({ folder }) =>
    `La copia ${folder} está completa. Estos registros se han modificado fuera de Terrace. Más información en «Estado»:`,
  earlierBackupChanged: ({ folder, earlier }) =>
    `La copia ${folder} está completa. Estos archivos de la copia anterior ${earlier} han cambiado desde entonces y se han copiado de nuevo. Revisa el disco de la copia anterior:`,
  notInBackup: ({ key }) => `${key} (este archivo no está en la copia)`,
  keptFromEarlier: ({ key }) => `${key} (conservado de la copia anterior)`,
  changedInEarlier: ({ key }) => `${key}: ha cambiado en la copia anterior`,
  logOfSite: ({ id, row, fault }) => `${id}: registro desde la entrada ${row}: ${fault}`,
  logOfInstallation: ({ row, fault }) => `Instalación: registro desde la entrada ${row}: ${fault}`,
  logChanged: ({ log }) => `${log} (modificado fuera de Terrace)`,
  backupDamaged: ({ folder }) => `La copia ${folder} está dañada. No se ha restaurado nada de ella:`,
  partChanged: ({ path }) => `${path}: ha cambiado desde que se escribió`,
  partUnnamed: ({ path }) => `${path}: no figura en el manifiesto`,
  copyDiffers: ({ path }) => `${path}: no es el contenido que se copió`,
  rowCountDiffers: ({ path, found, table, copied }) =>
    `${path}: hay ${found} filas de ${table} y se copiaron ${copied}`,
  notRestorable: ({ folder, why }) => `${folder} no se puede restaurar: ${why}.`,
  noManifest: () => 'falta manifest.json',
  manifestOfOther: () => 'su manifest.json tiene otro formato',
  manifestChanged: () => 'su manifest.json ha cambiado desde que se escribió',
  manifestRefused: ({ fault }) => `Archivo manifest.json: ${fault}`,
  backupOfNewer: ({ folder }) =>
    `${folder} se creó con una versión más reciente de Terrace. Restaura la copia con esa versión.`,
  backupOfOlder: ({ folder }) =>
    `${folder} se creó con una versión anterior de Terrace. Restaura la copia con esa versión y actualiza después.`,
}

/** What a decoder can do without a layer of its sandbox. */
const layers: Readonly<Record<string, string>> = {
  network: 'puede acceder a la red',
  memory: 'no tiene un límite fijo de memoria, solo se revisa cinco veces por segundo',
  'file-size': 'puede escribir archivos de cualquier tamaño',
  descriptors: 'puede abrir cualquier cantidad de archivos',
  privileges: 'conserva los privilegios del servidor',
  account: 'se ejecuta con la cuenta del servidor',
  files: 'puede abrir todos los archivos a los que accede su cuenta',
  calls: 'puede usar cualquier llamada al sistema',
}

const states: Readonly<Record<string, string>> = {
  kept: 'solo se conserva',
  dropping: 'se está eliminando',
}

const labels = { tag: 'Etiqueta', category: 'Categoría' }

const checkNames: Record<CheckName, string> = {
  versions: 'Versiones',
  'data-folder': 'Carpeta de datos',
  secrets: 'Secretos',
  ffmpeg: 'FFmpeg',
  decoders: 'Decodificadores',
  migrations: 'Migraciones',
  'control-tables': 'Tablas de la instalación',
  'control-rows': 'Inquilinos y sitios',
  distribution: 'Distribución',
  'control-audit': 'Registro de la instalación',
  encryption: 'Cifrado',
  storage: 'Almacenamiento',
  'stray-sites': 'Sitios desconocidos',
  temporaries: 'Archivos temporales',
  console: 'Consola',
  jobs: 'Tareas',
  purges: 'Cachés',
  totals: 'Totales',
  stats: 'Estadísticas',
  bytes: 'Archivos guardados',
  contents: 'Contenido de los archivos',
  scrub: 'Revisión periódica',
  outbox: 'Archivos eliminados',
  expired: 'Archivos caducados',
  audit: 'Registros de los sitios',
  places: 'Ubicaciones',
  'site-tables': 'Tablas de los sitios',
}

const checkTitles: Record<CheckName, string> = {
  versions: 'Node y la base de datos son lo bastante recientes',
  'data-folder': 'Se puede escribir en la carpeta de datos y hay espacio libre',
  secrets: 'Los archivos de secretos existen y solo puede leerlos su propietario',
  ffmpeg: 'FFmpeg puede extraer fotogramas de los vídeos',
  decoders: 'Los decodificadores arrancan con todas las capas de protección',
  migrations: 'Las tablas de la instalación están al día',
  'control-tables': 'Las tablas de la instalación están intactas',
  'control-rows': 'Cada inquilino tiene exactamente un sitio',
  distribution: 'En Citus están distribuidas todas las tablas de los sitios, o ninguna',
  'control-audit': 'El registro de la instalación no se ha modificado',
  encryption: 'Todos los valores cifrados se pueden descifrar',
  storage: 'El almacenamiento responde',
  'stray-sites': 'Ninguna fila ni archivo pertenece a un sitio desconocido',
  temporaries: 'No quedan archivos temporales de procesos detenidos',
  console: 'Ningún inquilino tiene el nombre de host de la consola',
  jobs: 'Las tareas se ejecutan sin errores',
  purges: 'Las cachés saben qué archivos se han eliminado',
  totals: 'Los totales de cada sitio coinciden con sus filas',
  stats: 'Las estadísticas guardadas de cada sitio coinciden con sus totales',
  bytes: 'Cada archivo tiene su contenido y no sobra nada',
  contents: 'Cada archivo tiene el contenido que se subió',
  scrub: 'La revisión periódica no ha encontrado daños',
  outbox: 'El contenido de los archivos eliminados se ha borrado',
  expired: 'Los archivos caducados se han eliminado',
  audit: 'Los registros no se han modificado',
  places: 'Cada sitio está donde indican sus valores',
  'site-tables': 'Las tablas de cada sitio están intactas y al día',
}

export const consoleFindings = { messages, checkNames, checkTitles }

export const outages: WordsOf<typeof english> = {
  'store-unavailable': () => 'No se puede acceder a la base de datos. Inténtalo de nuevo en un momento.',
  'store-busy': () => 'La base de datos está saturada. Inténtalo de nuevo en un momento.',
  'storage-unavailable': () => 'No se puede acceder al almacenamiento. Inténtalo de nuevo en un momento.',
  'storage-broken': () => 'El almacenamiento ha perdido datos y no acepta más archivos.',
  'disk-full': () => 'No queda espacio para guardar esto.',
  'backups-unreadable': () =>
    'No se puede leer la carpeta de las copias de seguridad. Revisa su ruta y sus permisos.',
  'site-moving': () => 'Este sitio se está trasladando. Inténtalo de nuevo en un momento.',
}
