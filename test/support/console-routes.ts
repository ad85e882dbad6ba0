import { readFileSync } from 'node:fs'
import type { ConsoleRoute } from '../../src/console/console-call.ts'
import { consoleRoutes } from '../../src/console/page-list.ts'
import { createOperator } from '../../src/control/index.ts'
import { startConsole, type TestConsole } from './console.ts'

/** A console with a bit of everything that an address can name. */
export async function startConsoleWorld(options: Parameters<typeof startConsole>[0]) {
  const app = await startConsole(options)
  await app.tenant('cats')
  await app.call('POST', 'tenants-plans', { id: 'small', limits: { SERVICE_MAX_FILES: '10' } })
  const { operator, token } = await createOperator(app.app.control, { username: 'other', role: 'operator' })
  return { app, other: operator.id, token }
}

export type ConsoleWorld = Awaited<ReturnType<typeof startConsoleWorld>>

/** No row has this id; it has the form of one. */
const nobody = 'AAAAAAAAAAAA'

/** What stands in an address, by the section of the console and the name of the parameter. */
function partOf({ other, token }: ConsoleWorld, path: string, name: string): string {
  const [section = ''] = path.split('/')
  const ids: Readonly<Record<string, string>> = {
    tenants: 'cats',
    plans: 'small',
    keys: '1',
    operators: other,
  }
  const named: Readonly<Record<string, string>> = {
    token,
    kind: 'limits',
    name: section === 'tenants' ? 'ada' : 'nothing',
  }
  if (name === 'id' || name === 'move' || name === 'tenant') return ids[section] ?? nobody
  const value = named[name]
  if (value === undefined) throw new Error(`Say here what {${name}} of ${path} may be.`)
  return value
}

export const addressOf = (world: ConsoleWorld, { path }: ConsoleRoute): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name) => partOf(world, path, name))

export const routesOf = (method: 'GET' | 'POST') => consoleRoutes.filter((route) => route.method === method)

/** What a viewer may send: his own account, its log-in and its proof. */
export const ownAccount = /^(?:login|logout|invite|prove|me|-\/passkeys)(?:\/|$)/

const named = (file: string) =>
  [...readFileSync(new URL(file, import.meta.url), 'utf8').matchAll(/^ {2}(\w+): \{/gm)].map(
    ([, name = '']) => name,
  )

/** What the console could change, besides the sessions of those who ask. */
export const tables = [
  ...named('../../src/db/control-tables.ts'),
  ...named('../../src/db/operator-tables.ts'),
].filter((name) => name !== 'operatorSession')

export async function rowsOf({ app }: TestConsole): Promise<Record<string, string>> {
  const db = app.control.store.control
  const rows: Record<string, string> = {}
  for (const name of tables) {
    const all = await db
      .selectFrom(name as 'tenant')
      .selectAll()
      .execute()
    rows[name] = all
      .map((row) => JSON.stringify(row))
      .sort()
      .join('\n')
  }
  return rows
}
