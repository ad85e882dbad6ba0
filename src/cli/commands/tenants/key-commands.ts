import { writeKey } from '../../../api/index.ts'
import {
  type ControlKey,
  createKey,
  deleteKey,
  keyNotValid,
  listKeys,
  requestSecretPath,
  verifyKey,
} from '../../../control/index.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { writeTime } from '../../../lib/times.ts'
import type { Session } from '../../session.ts'
import { type Column, recordOf, tableOf } from '../../terminal/table.ts'
import { UsageFault } from '../../terminal/usage-fault.ts'

export async function createApiKey(
  session: Session,
  input: { name?: string; expires?: Date },
): Promise<void> {
  await using app = await session.openApp()
  const key = await createKey(app.control, { name: input.name, expiresAt: input.expires })
  const { id, name, ...times } = writeKey(key)
  session.answer({ id, name, key: key.key, ...times }, () =>
    recordOf(session.out, [{ rows: [...rowsOf(key), ['key', key.key]] }]),
  )
  session.note('Save the key now: it is not shown again.')
}

const rowsOf = (key: ControlKey): [string, string][] => [
  ['number', String(key.id)],
  ['name', key.name ?? '-'],
  ['created', writeTime(key.createdAt)],
  ['expires', key.expiresAt ? writeTime(key.expiresAt) : 'never'],
]

export async function listApiKeys(session: Session): Promise<void> {
  await using app = await session.openApp()
  const now = app.control.clock.now()
  const isExpired = (key: ControlKey) => key.expiresAt !== undefined && key.expiresAt <= now
  const columns: Column<ControlKey>[] = [
    { title: 'NUMBER', value: (key) => String(key.id), isRight: true, style: () => 'cyan' },
    { title: 'NAME', value: (key) => key.name ?? '-' },
    { title: 'CREATED', value: (key) => writeTime(key.createdAt), style: () => 'dim' },
    {
      title: 'EXPIRES',
      value: (key) => (key.expiresAt ? writeTime(key.expiresAt) : 'never'),
      style: (key) => (isExpired(key) ? 'red' : undefined),
    },
  ]
  const keys = await listKeys(app.control)
  session.answerList(keys.map(writeKey), () => tableOf(session.out, columns, keys), {
    ifEmpty: 'There are no keys yet. Create one: tenants api:key:create --name NAME',
  })
}

export async function verifyApiKey(session: Session, input: { key: string }): Promise<void> {
  await using app = await session.openApp()
  const key = await verifyKey(app.control, input.key).catch((error) =>
    Promise.reject(withoutSignature(error)),
  )
  session.answer({ key: writeKey(key) }, () => recordOf(session.out, [{ rows: rowsOf(key) }]))
  session.note('The key is valid.')
}

/** The API's message also mentions the signature, which this command does not check. */
const withoutSignature = (error: unknown) =>
  error instanceof Refusal && error.kind === 'unauthenticated' ? keyNotValid() : error

export async function deleteApiKey(
  session: Session,
  { id, name }: { id?: number; name?: string },
): Promise<void> {
  if ((id === undefined) === (name === undefined)) {
    throw new UsageFault(['Give either --id or --name.'], 'tenants api:key:delete --help')
  }
  await using app = await session.openApp()
  const key = await deleteKey(app.control, id === undefined ? { name: name ?? '' } : { id })
  session.answer({ id: String(key.id), deleted: true }, () => `Deleted the key ${key.name ?? key.id}.`)
}

export async function showSecret(session: Session): Promise<void> {
  await using app = await session.openApp()
  const { config, requestSecret } = app
  session.answer({ secret: requestSecret }, () => requestSecret)
  if (session.out.isTerminal) {
    const source = config.requestSecret === undefined ? requestSecretPath(config.dataDir) : secretSetting
    session.note(`From ${source}`)
  }
}

const secretSetting = 'SERVICE_TENANTS_API_REQUEST_SECRET'
