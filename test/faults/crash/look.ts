import assert from 'node:assert/strict'
import { readdir, readFile, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { type App, openApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { finishDrops, listPlans, listTenants, openSite } from '../../../src/tenants/index.ts'

/** What an installation holds, as far as a caller can tell. */
export interface State {
  tenants: Record<string, unknown>
  plans: Record<string, unknown>
}

/** The way a server starts. */
export async function openAgain(folder: string): Promise<App> {
  const app = await openApp(readConfig({ SERVICE_DATA_DIR: folder, SERVICE_LOG_LEVEL: 'silent' }, '/'))
  await finishDrops(app.control)
  return app
}

export async function changeTokenOf({ control }: App): Promise<State> {
  const tenants: State['tenants'] = {}
  for await (const page of listTenants(control)) {
    for (const tenant of page) {
      const { createdAt, updatedAt, ...lasting } = tenant
      tenants[tenant.id] = { ...lasting, users: tenant.isInstalled ? await usersOf(control, tenant) : [] }
    }
  }
  const plans = Object.fromEntries(
    (await listPlans(control)).map(({ id, limits, env }) => [id, { limits, env }]),
  )
  return { tenants, plans }
}

async function usersOf(control: App['control'], tenant: Parameters<typeof openSite>[1]) {
  await using site = await openSite(control, tenant)
  const users = await site.db.selectFrom('user').select(['username', 'role']).execute()
  const keys = await site.db.selectFrom('userKey').select('name').execute()
  return { users, keys }
}

/** Every database file is whole. */
export async function checkFiles(folder: string): Promise<void> {
  const sites = await readdir(join(folder, 'sites')).catch(() => [])
  const files = ['control.db', ...sites.map((site) => join('sites', site, 'site.db'))]
  for (const file of files) {
    const path = join(folder, file)
    if (!(await isThere(path))) continue
    const database = new Database(path, { fileMustExist: true })
    const [{ integrity_check: verdict }] = database.pragma('integrity_check') as [{ integrity_check: string }]
    database.close()
    assert.equal(verdict, 'ok', file)
  }
}

const isThere = (path: string) =>
  readFile(path).then(
    () => true,
    () => false,
  )

/** Nothing lies about, and every site's folder belongs to a row. */
export async function checkNoLitter(folder: string): Promise<void> {
  assert.deepEqual(await readdir(join(folder, 'drafts')), [], 'drafts')
  assert.deepEqual(await readdir(join(folder, 'trash')), [], 'trash')
  assert.deepEqual((await readdir(join(folder, 'secrets'))).sort(), ['encryption-keys', 'request-secret'])
  const database = new Database(join(folder, 'control.db'), { fileMustExist: true })
  const rows = database.prepare('select "number", "state" from "site"').all() as Record<string, unknown>[]
  database.close()
  for (const row of rows) assert.notEqual(row.state, 'dropping')
  const numbers = new Set(rows.map((row) => String(row.number)))
  for (const site of await readdir(join(folder, 'sites'))) assert.ok(numbers.has(site), `sites/${site}`)
}

/** Drafts are left alone while they may be somebody's work. */
export async function ageDrafts(folder: string): Promise<void> {
  for (const part of ['drafts', 'secrets']) {
    for (const name of await readdir(join(folder, part)).catch(() => []))
      await utimes(join(folder, part, name), 0, 0)
  }
}

export const keysIn = async (folder: string): Promise<string[]> =>
  (await readFile(join(folder, 'secrets', 'encryption-keys'), 'utf8')).trim().split('\n')
