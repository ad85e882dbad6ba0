import type { dashboardProviders as english } from '../../en/dashboard/providers.ts'
import type { WordsOf } from '../../words-of.ts'

export const dashboardProviders: WordsOf<typeof english> = {
  providers: 'Proveedores',
  providersText:
    'Con un proveedor (OpenID Connect) la gente entra aquí con una cuenta que tiene en otro lugar: en tu empresa, en Google o en cualquiera que indiques.',
  providersEmpty: 'Aún no hay proveedores',
  providersEmptyText: 'La gente entra con una contraseña o una llave de acceso.',
  providersLimit: (limit) => `Como mucho ${limit} pueden estar activos, según el plan del operador.`,
  providerNew: 'Nuevo proveedor',
  providerEdit: 'Editar el proveedor',
  providerCreate: 'Crear el proveedor',
  providerTitle: 'Título',
  providerTitleHint: 'Lo que dice el botón: Entrar con …',
  providerName: 'Nombre en las direcciones',
  providerNameHint: (address) =>
    `De 1 a 32 de a-z 0-9 -. Es parte de ${address} y no se puede cambiar después.`,
  providerNameRule: 'Usa de 1 a 32 de a-z, 0-9 y -, sin - al principio ni al final.',
  providerNameTaken: 'Otro proveedor tiene este nombre.',
  providerIssuer: 'Emisor',
  providerIssuerHint:
    'La dirección que el proveedor llama su emisor (issuer), como https://accounts.google.com',
  providerIssuerRule: 'No es una dirección como https://login.example.com/realm.',
  providerIssuerInUse:
    'Hay cuentas conectadas con este emisor. Crea otro proveedor para uno distinto y elimina este después.',
  providerClientId: 'ID de cliente',
  providerSecret: 'Secreto de cliente',
  providerSecretHint: 'Se guarda cifrado y no se vuelve a mostrar. Vacío: el cliente no tiene.',
  providerSecretKept: 'Hay un secreto guardado. Déjalo vacío para conservarlo.',
  providerSecretRemove: 'Quitar el secreto: el cliente no tiene',
  providerSecretEither: 'Escribe un secreto o quítalo, no ambas cosas.',
  providerSecretNeeded: 'Otro emisor necesita su propio secreto. Escríbelo.',
  providerScopes: 'Ámbitos',
  providerScopesHint:
    'Separados por un espacio. openid hace falta; email y profile dan la dirección y el nombre.',
  providerScopesRule: 'Indica ámbitos separados por un espacio, openid entre ellos.',
  providerTextRule: (most) => `Usa de 1 a ${most} caracteres, sin saltos de línea.`,
  providerOn: 'Activo',
  providerSignUp: 'Quien no tiene cuenta aquí puede registrarse con él',
  providerSignUpClosed:
    'El operador ha cerrado el registro en este sitio, así que por ahora no tiene efecto.',
  providerRole: 'Función de los usuarios nuevos',
  providerCallback: 'Dirección de retorno',
  providerCallbackText: 'Indica al proveedor esta dirección, exactamente así (redirect URI).',
  providerCopyCallback: 'Copiar la dirección de retorno',
  providerCheck: 'Comprobar la conexión',
  providerCheckText: 'Lee lo que el proveedor dice de sí mismo. No cambia nada.',
  providerChecked: ({ issuer, endpoint }) =>
    `El proveedor responde como ${issuer}, y la gente entra en ${endpoint}.`,
  providerNoPkce: 'No dice que compruebe PKCE. Se usa de todos modos.',
  providerUnknownScopes: (scopes) => `No conoce estos ámbitos: ${scopes}.`,
  providerUnreachable:
    'No se leyó nada: la dirección es errónea, no responde a tiempo o este servidor no puede ir a ella.',
  providerMistaken:
    'La dirección responde, pero no como este emisor. Compara el emisor, hasta la última barra, con los ajustes del proveedor, y escribe el secreto de nuevo.',
  providerState: 'Estado',
  providerIsOn: 'Activo',
  providerOff: 'Inactivo',
  providerSwitchOn: 'Activar',
  providerSwitchOff: 'Desactivar',
  providerOrder: 'Orden',
  providerUp: 'Subir',
  providerDown: 'Bajar',
  providerChanged:
    'Otro administrador ha cambiado este proveedor entretanto. Míralo de nuevo antes de guardar.',
  providerDelete: 'Eliminar el proveedor',
  providerDeleteTitle: '¿Eliminar este proveedor?',
  providerDeleteText: (count) =>
    `Cuentas conectadas: ${count}. Sus usuarios siguen y entran de otra forma: quienes no tienen contraseña ni llave de acceso necesitan que les des una contraseña.`,
  providerKeep: 'Conservarlo',
}
