import {
  type CreatedKey,
  createOwnKey,
  keyNameFault,
  listOwnKeys,
  noSuchKey,
  readOwnKey,
  removeOwnKey,
  rotateOwnKey,
  type Scope,
  scopes,
} from '../../accounts/index.ts'
import { responseOfRefusal } from '../../http/responses/errors.ts'
import { isId } from '../../lib/ids.ts'
import { invalidFields, Refusal } from '../../lib/refusal.ts'
import { changeSite } from '../../tenants/index.ts'
import { type PageAnswer, type PageCall, type PageHandler, userOf } from '../page-call.ts'
import { refusalInWords } from '../refusal-words.ts'
import { orRefusal } from '../refused.ts'
import { accountFaultsOf } from './account-faults.ts'
import { emptyKeyForm, type KeyForm, keysPage } from './keys/keys-page.ts'
import { ownAlbums } from './settings/uploads.ts'

/** The largest number of keys that a user may have is usually 50; an operator may allow more. */
const mostKeys = 500

export const showKeys: PageHandler = async (call) => ({ page: await pageOf(call, {}) })

/** Only a key that uploads needs no proof: all others can read or change what is the user's. */
export const makesStrongKey = ({ form }: PageCall): boolean => readKeyForm(form).scope !== 'upload'

export const makeKey: PageHandler = async (call) => {
  const { app, site, form } = call
  const given = readKeyForm(form)
  const created = await orRefusal(
    (async () => {
      checkName(given.name)
      return changeSite(app.control, site, (changing) =>
        createOwnKey(changing, userOf(call), {
          name: given.name,
          scope: given.scope,
          expiresAt: endOf(given.days, site.clock.now()),
          albumId: given.albumId === '' ? undefined : given.albumId,
          allowedOrigins: [],
          allowedAddresses: [],
        }),
      )
    })(),
  )
  if (!(created instanceof Refusal)) return shown(call, created)
  const { status, headers } = responseOfRefusal(created)
  return {
    page: await pageOf(call, { form: { ...given, faults: faultsOf(call, created) } }),
    status,
    headers,
  }
}

/** The new secret is as good as a new key, so it needs the same proof. */
export async function isStrongKey(call: PageCall): Promise<boolean> {
  const { scope } = await readOwnKey(call.site, userOf(call), keyId(call))
  return scope !== 'upload'
}

export const rotateKey: PageHandler = async (call) => {
  const { app, site } = call
  const id = keyId(call)
  const overlapSeconds = call.form.get('overlap') === '1' ? 86_400 : 0
  const rotated = await changeSite(app.control, site, (changing) =>
    rotateOwnKey(changing, userOf(call), { id, overlapSeconds }),
  )
  return shown(call, rotated)
}

export const revokeKey: PageHandler = async (call) => {
  const id = keyId(call)
  await changeSite(call.app.control, call.site, (changing) => removeOwnKey(changing, userOf(call), id))
  return { to: '/settings/keys?saved=1' }
}

/** The page with the key itself: shown once, kept by no cache. */
async function shown(call: PageCall, created: CreatedKey): Promise<PageAnswer> {
  return { page: await pageOf(call, { created }), isSecret: true }
}

async function pageOf(call: PageCall, more: { created?: CreatedKey; form?: KeyForm }): Promise<string> {
  const keys = await listOwnKeys(call.site, userOf(call), { after: undefined, limit: mostKeys })
  return keysPage(call, { keys, albums: await ownAlbums(call), form: emptyKeyForm, ...more })
}

function keyId({ params }: PageCall): string {
  const { id = '' } = params
  if (!isId(id)) throw noSuchKey(id.slice(0, 64))
  return id
}

function readKeyForm(form: URLSearchParams): Omit<KeyForm, 'faults'> {
  const scope = scopes.find((each) => each === form.get('scope')) ?? 'upload'
  const days = ['30', '90', '365'].find((each) => each === form.get('days')) ?? ''
  return {
    name: form.get('name')?.trim() ?? '',
    scope: scope satisfies Scope,
    days,
    albumId: form.get('album') ?? '',
  }
}

function checkName(name: string): void {
  const fault = keyNameFault(name)
  if (fault !== undefined) throw invalidFields([{ field: 'name', ...fault }], 'invalid-key')
}

const endOf = (days: string, now: Date): Date | undefined =>
  days === '' ? undefined : new Date(now.getTime() + Number(days) * 86_400_000)

function faultsOf({ reader }: PageCall, refusal: Refusal): NonNullable<KeyForm['faults']> {
  const { words } = reader
  if (refusal.code === 'key-name-taken') return { name: words.keyNameTaken }
  const { album_id: album, ...faults } = Object.fromEntries(refusalInWords(reader, refusal))
  if (album !== undefined) return { album }
  return { ...faults, ...accountFaultsOf(reader, refusal) }
}
