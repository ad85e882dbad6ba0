import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { ask } from '../support/stores/citus.ts'
import { type TestTenant, upload, uploaded } from '../support/uploads.ts'

/** Each statement that reads these tables fails with this SQLSTATE, as often as `fail` says. */
async function interfere(app: TestApp, code: string): Promise<{ fail(times: number): Promise<void> }> {
  const url = String(app.environment.SERVICE_DATABASE_URL)
  await ask(
    url,
    `create sequence "tries"; create table "interference" ("times" bigint); insert into "interference" values (0);
     create function "interfere"() returns boolean language plpgsql as $$ begin
       if nextval('tries') <= (select "times" from "interference") then
         raise exception 'interfered' using errcode = '${code}';
       end if; return true; end $$;
     ${['file', 'tenant']
       .map(
         (table) => `alter table "${table}" rename to "${table}Rows";
           create view "${table}" as select * from "${table}Rows" where "interfere"();`,
       )
       .join(' ')}`,
  )
  return {
    async fail(times) {
      await ask(url, `update "interference" set "times" = 0; alter sequence "tries" restart`)
      await ask(url, `update "interference" set "times" = ${times}`)
    },
  }
}

async function requests(app: TestApp, tenant: TestTenant) {
  const image = await uploaded(app, tenant)
  const key = await keyOf(app, tenant, 'read')
  const headers = { host: tenant.hostname }
  const get = (url: string) => app.send('GET', new URL(url).pathname, { headers })
  return {
    'the bytes of a file': () => get(image.url),
    'its page': () => get(image.url_viewer),
    'the list of files': () => ask5(app, tenant, 'GET files', { key }),
    'the list of tenants': () => app.call('GET', 'tenants'),
    'a change of a tenant': () => app.call('PATCH', `tenants/${tenant.id}`, { is_enabled: true }),
    'an upload': () => upload(app, tenant),
  }
}

describe.each(['40P01', '40001'])('a statement that PostgreSQL ends with %s', (code) => {
  test('is repeated, and the caller sees nothing of it', async () => {
    await using app = await startTestApp({ store: 'postgres' })
    const cats = await app.tenant('cats')
    const sends = await requests(app, cats)
    const { fail } = await interfere(app, code)
    for (const [what, send] of Object.entries(sends)) {
      await fail(2)
      const { status, text } = await send()
      assert.ok(status === 200 || status === 204, `${what}: ${status} ${text}`)
    }
  })

  test('is answered 503 if it fails each time, and nothing is changed', async () => {
    await using app = await startTestApp({ store: 'postgres' })
    const cats = await app.tenant('cats')
    const sends = await requests(app, cats)
    const { fail } = await interfere(app, code)
    for (const [what, send] of Object.entries(sends)) {
      await fail(1_000_000)
      const { status, headers, text } = await send()
      assert.equal(status, 503, `${what}: ${text}`)
      assert.match(String(headers['retry-after']), /^\d+$/, what)
    }
    await fail(0)
    assert.equal((await sends['the list of files']()).json.data.length, 1)
  })
})
