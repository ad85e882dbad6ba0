import { existsSync } from 'node:fs'
import type { Config } from '../config.ts'
import { encryptionKeysPath, isSetUp, requestSecretPath } from '../control/index.ts'
import { openStore } from '../db/index.ts'
import { makeFolder } from '../lib/durable.ts'
import type { Session } from './session.ts'
import { type Column, tableOf } from './table.ts'

interface Piece {
  name: string
  place: string
  isMade: boolean
}

const columns: readonly Column<Piece>[] = [
  { title: 'WHAT', value: (piece) => piece.name.replaceAll('_', ' ') },
  { title: 'WHERE', value: (piece) => piece.place },
  {
    title: 'STATE',
    value: (piece) => (piece.isMade ? 'made' : 'already there'),
    style: (piece) => (piece.isMade ? 'green' : 'dim'),
  },
]

export async function init(session: Session): Promise<void> {
  const config = await session.readConfig()
  const pieces = await piecesOf(config)
  await using _app = await session.openApp(config)
  const made = pieces.filter((piece) => piece.isMade).map((piece) => piece.name)
  session.answer({ data_dir: config.dataDir, made }, () => tableOf(session.out, columns, pieces))
  session.note(
    made.length > 0 ? 'Everything is prepared. Next: terrace serve' : 'Everything is already there.',
  )
}

/** What an installation consists of, looked at before it is opened: opening makes what is missing. */
async function piecesOf(config: Config): Promise<Piece[]> {
  const { dataDir, databaseUrl, requestSecret, encryptionKeys } = config
  const file = (name: string, path: string) => ({ name, place: path, isMade: !existsSync(path) })
  const setting = (name: string, place: string) => ({ name, place, isMade: false })
  const files = [
    file('data_folder', dataDir),
    requestSecret === undefined
      ? file('signing_secret', requestSecretPath(dataDir))
      : setting('signing_secret', 'SERVICE_TENANTS_API_REQUEST_SECRET'),
    encryptionKeys === undefined
      ? file('encryption_key', encryptionKeysPath(dataDir))
      : setting('encryption_key', 'SERVICE_ENCRYPTION_KEY'),
  ]
  const place = databaseUrl === undefined ? `SQLite in ${dataDir}` : `PostgreSQL at ${hostOf(databaseUrl)}`
  return [...files, { name: 'store', place, isMade: !(await hasStore(config)) }]
}

async function hasStore(config: Config): Promise<boolean> {
  await makeFolder(config.dataDir)
  await using store = await openStore({ ...config, onFault: () => undefined })
  return await isSetUp(store)
}

/** Without the password that the address may hold. */
function hostOf(databaseUrl: string): string {
  const { host, pathname } = new URL(databaseUrl)
  return `${host}${pathname}`
}
