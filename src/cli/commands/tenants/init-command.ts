import { existsSync } from 'node:fs'
import type { Config } from '../../../config.ts'
import { encryptionKeysPath, isSetUp, requestSecretPath } from '../../../control/index.ts'
import { describePostgresUrl, openStore } from '../../../db/index.ts'
import { makeFolder } from '../../../lib/files/durable.ts'
import type { Session } from '../../session.ts'
import { type Column, tableOf } from '../../terminal/table.ts'

interface Part {
  name: string
  location: string
  isNew: boolean
}

const columns: readonly Column<Part>[] = [
  { title: 'WHAT', value: (part) => part.name.replaceAll('_', ' ') },
  { title: 'WHERE', value: (part) => part.location },
  {
    title: 'STATE',
    value: (part) => (part.isNew ? 'created' : 'already there'),
    style: (part) => (part.isNew ? 'green' : 'dim'),
  },
]

export async function init(session: Session): Promise<void> {
  const config = await session.readConfig()
  const parts = await partsOf(config)
  await using _app = await session.openApp(config)
  const made = parts.filter((part) => part.isNew).map((part) => part.name)
  session.answer({ data_dir: config.dataDir, made }, () => tableOf(session.out, columns, parts))
  session.note(
    made.length > 0 ? 'Everything is prepared. Next: terrace serve' : 'Everything is already there.',
  )
}

/** The parts of an installation. Read before the installation is opened, because opening creates missing parts. */
async function partsOf(config: Config): Promise<Part[]> {
  const { dataDir, databaseUrl, requestSecret, encryptionKeys } = config
  const file = (name: string, path: string) => ({ name, location: path, isNew: !existsSync(path) })
  const setting = (name: string, location: string) => ({ name, location, isNew: false })
  const files = [
    file('data_folder', dataDir),
    requestSecret === undefined
      ? file('signing_secret', requestSecretPath(dataDir))
      : setting('signing_secret', 'SERVICE_TENANTS_API_REQUEST_SECRET'),
    encryptionKeys === undefined
      ? file('encryption_key', encryptionKeysPath(dataDir))
      : setting('encryption_key', 'SERVICE_ENCRYPTION_KEY'),
  ]
  const location =
    databaseUrl === undefined ? `SQLite in ${dataDir}` : `PostgreSQL at ${describePostgresUrl(databaseUrl)}`
  return [...files, { name: 'store', location, isNew: !(await hasStore(config)) }]
}

async function hasStore(config: Config): Promise<boolean> {
  await makeFolder(config.dataDir)
  await using store = await openStore({ ...config, onFault: () => undefined })
  return await isSetUp(store)
}
