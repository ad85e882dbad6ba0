import assert from 'node:assert/strict'
import { test } from 'vitest'
import { unversionedColumns, unversionedTables } from '../../src/db/postgres/row-versions.ts'
import { siteTableNames } from '../../src/db/tables.ts'
import { moveTenant } from '../../src/tenants/index.ts'
import { ask as delivered } from '../support/delivered.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { ask } from '../support/stores/citus.ts'
import { otherDatabase } from '../support/stores/other-databases.ts'
import { runHere } from '../support/tool.ts'
import { picture, set, uploaded, userWithKey, writeViews } from '../support/uploads.ts'

/** From now on PostgreSQL refuses the commit of a transaction that has written rows of a site, but not its version. */
async function refuseUnversioned(url: string): Promise<void> {
  await ask(
    url,
    `create function "checkVersion"() returns trigger language plpgsql as $$
     begin
       if tg_op = 'DELETE' and not exists (select from "rowVersion" where "site" = old."site") then return null; end if;
       if tg_op = 'UPDATE' and to_jsonb(new) - tg_argv = to_jsonb(old) - tg_argv then return null; end if;
       if not exists (
         select from "rowVersion" where "site" = (case when tg_op = 'DELETE' then old."site" else new."site" end)
           and xmin::text = pg_current_xact_id()::xid::text
       ) then raise exception 'rows of % were written without a version', tg_table_name; end if;
       return null;
     end $$`,
  )
  for (const name of siteTableNames) {
    if (unversionedTables.has(name)) continue
    const columns = (unversionedColumns[name] ?? []).map((column) => `'${column}'`)
    await ask(
      url,
      `create constraint trigger "versioned" after insert or update or delete on "${name}"
       deferrable initially deferred for each row execute function "checkVersion"(${columns.join()})`,
    )
  }
}

const versionOf = async (url: string, site: number) => {
  const [row] = await ask<{ version: string | null }>(
    url,
    `select sum("value")::text as version from "rowVersion" where "site" = ${site}`,
  )
  return row?.version ?? undefined
}

test('each transaction that changes what answers depend on raises the version, and reading and counting do not', async () => {
  await using app = await startTestApp({ store: 'postgres' })
  const url = String(app.environment.SERVICE_DATABASE_URL)
  await refuseUnversioned(url)
  await assert.rejects(
    ask(url, `insert into "setting" ("site", "name", "value") values (7, 'a', 'b')`),
    /rows of setting were written without a version/,
  )
  const cats = await app.tenant('cats')
  const image = await uploaded(app, cats)
  const file = image.id_encoded
  const key = await keyOf(app, cats, 'admin')
  const call = async (words: string, body?: unknown) => {
    const { status, text, json } = await ask5(app, cats, words, { key, body })
    assert.ok(status < 300, `${words}: ${text}`)
    return json
  }
  const tool = async (...words: string[]) => {
    const { code, err } = await runHere(words, app.environment)
    assert.equal(code, 0, err)
  }
  await writeViews(app)
  const before = await versionOf(url, 1)
  assert.ok(before !== undefined)
  await call('GET files')
  await call(`GET files/${file}`)
  for (const url of [image.url, image.url_viewer]) assert.equal((await delivered(app, url)).status, 200)
  await writeViews(app)
  const [views] = await ask(url, 'select "views" from "file"')
  assert.deepEqual(views, { views: '1' })
  assert.equal(await versionOf(url, 1), before)

  const album = await call('POST albums', { title: 'Mine', privacy: 'link' })
  await call(`PATCH files/${file}`, { title: 'Cat', album_id: album.id, add_tags: ['pet'] })
  await call(`PUT files/${file}/like`)
  await call('POST files/bulk', { action: 'edit', ids: [file], set: { is_nsfw: true } })
  await call(`POST albums/${album.id}/shares`, { name: 'first' })
  await call('PATCH settings', { listing: 'public' })
  await set(app, cats, { protect_bytes: '1' })
  const bob = await userWithKey(app, cats, 'bob')
  await uploaded(app, cats, { key: bob.key, file: await picture({ seed: 2 }) })
  await call(`DELETE users/${bob.userId}?files=trash`)
  await call(`DELETE files/${file}`)
  await call(`POST files/${file}/restore`)
  await tool('site', '--tenant', 'cats', 'album:edit', '--id', album.id, '--title', 'Ours')
  app.wait(40 * 86_400)
  await tool('tenants', 'jobs:worker', '--once', '--id', 'cats')
  await writeViews(app)
  assert.notEqual(await versionOf(url, 1), before)
  await movedAwayAndBack(app, url)
  assert.ok((await app.call('DELETE', 'tenants/cats', { drop_tables: true })).status < 300)
  assert.equal(await versionOf(url, 1), undefined)
})

async function movedAwayAndBack(app: TestApp, url: string): Promise<void> {
  await using database = await otherDatabase()
  const versions = [await versionOf(url, 1)]
  for (const env of [{ SERVICE_DATABASE_URL: database.url }, {}]) {
    assert.equal((await app.call('PATCH', 'tenants/cats', { env })).status, 204)
    assert.equal((await moveTenant(app.app.control, 'cats')).isMoved, true)
    versions.push(await versionOf(url, 1))
  }
  assert.equal(new Set(versions).size, versions.length)
}
