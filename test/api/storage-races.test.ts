import assert from 'node:assert/strict'
import { test } from 'vitest'
import { allTotals, totalsOfUser } from '../../src/site/index.ts'
import { create } from '../support/clients/resumable.ts'
import { assertHealthy } from '../support/doctor.ts'
import { onEachStore, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
import { startServers, tally, times } from '../support/servers/several-servers.ts'
import { fewInQuick } from '../support/tiers.ts'
import { until } from '../support/until.ts'
import { limit, multipartOf, onSiteOf, picture, set, uploaded, userWithKey } from '../support/uploads.ts'

/** What an open upload of one byte reserves. */
const reservedEach = 1_000_001
const [mostOpen, mostStored] = [7, 20]
const mostRestored = 20

onEachStore('a thousand requests at once for the last bytes', (store) => {
  for (const name of ['SERVICE_MAX_STORAGE', 'SERVICE_MAX_STORAGE_PER_USER'] as const)
    test(`fill ${name} and not a byte more`, { timeout: 600_000 }, async () => {
      await using servers = await startServers(store)
      const app = servers.first
      const cats = await app.tenant('cats')
      const bob = await userWithKey(app, cats, 'bob')
      const key = await keyOf(app, cats, 'write', bob.userId)
      const { id_encoded: id } = await uploaded(app, cats, { key: bob.key })
      const limitsAt = async (server: TestApp) =>
        (await ask5(server, cats, 'GET me', { key })).json.limits?.[name]
      const each: number = (await limitsAt(app)).used
      const most = each + mostOpen * reservedEach + mostStored * each + (each - 1)
      const unlimited = {
        SERVICE_MAX_OPEN_UPLOADS: '0',
        SERVICE_ENABLE_UPLOAD_FLOOD_PROTECTION: '0',
        SERVICE_RATE_READS: '0',
        SERVICE_RATE_WRITES: '0',
      }
      await limit(app, cats, { ...unlimited, [name]: String(most) })
      await set(app, cats, { duplicates: 'allow' })
      for (const server of servers.all)
        await until(async () => (await limitsAt(server))?.value === most, 'it knows the limit')

      const file = { name: 'source', fileName: 'cat.png', value: await picture() }
      const { type, bytes } = multipartOf([file])
      const headers = { host: cats.hostname, 'content-type': type, 'x-api-key': key }
      const kinds = {
        POST: (server: TestApp) => server.send('POST', '/api/5/files', { bytes, headers }),
        replace: (server: TestApp) => server.send('PUT', `/api/5/files/${id}/content`, { bytes, headers }),
        creation: (server: TestApp) => create([server, cats], { key, length: 1 }),
      }
      const names = Object.keys(kinds) as (keyof typeof kinds)[]
      const all = fewInQuick(
        times(1_000, (index) => index),
        90,
      )
      const answers: { kind: keyof typeof kinds; status: number }[] = []
      // No more at a time than the database has connections for.
      for (let from = 0; from < all.length; from += 40) {
        const some = all.slice(from, from + 40).map(async (index) => {
          const kind = names[index % names.length] ?? 'POST'
          const answer = await kinds[kind](servers.all[index % servers.all.length] ?? app)
          if (answer.status >= 300) assert.deepEqual(problem(answer), [403, 'quota-reached'])
          return { kind, status: answer.status }
        })
        answers.push(...(await Promise.all(some)))
      }

      const { used, reserved } = await limitsAt(app)
      const made = (kind: keyof typeof kinds, status: number) =>
        answers.filter((answer) => answer.kind === kind && answer.status === status).length
      assert.equal(used, each * (1 + made('POST', 201) + made('replace', 200)))
      assert.equal(reserved, reservedEach * made('creation', 201))
      const left = most - used - reserved
      assert.ok(left >= 0, `${left} bytes are left`)
      // Nothing was released, so what was refused would still find no room.
      const refused = made('POST', 403) + made('replace', 403)
      assert.ok(made('creation', 403) > 0 && left < reservedEach, JSON.stringify(tally(answers)))
      assert.ok(refused === 0 || left < each, `${left} bytes are left, and ${refused} files were refused`)
      const counted = await onSiteOf(app, cats, async ({ db }) =>
        name === 'SERVICE_MAX_STORAGE'
          ? (await allTotals(db)).storageUsed
          : (await totalsOfUser(db, bob.userId)).storageUsed,
      )
      assert.equal(counted, used)
      await assertHealthy(app.app)
    })

  for (const name of ['SERVICE_MAX_FILES', 'SERVICE_MAX_FILES_PER_USER'] as const)
    test(`bring ${name} to its value and not a file more, restored from the trash too`, {
      timeout: 600_000,
    }, async () => {
      await using servers = await startServers(store)
      const app = servers.first
      const cats = await app.tenant('cats')
      const bob = await userWithKey(app, cats, 'bob')
      const key = await keyOf(app, cats, 'write', bob.userId)
      await limit(app, cats, {
        SERVICE_ENABLE_UPLOAD_FLOOD_PROTECTION: '0',
        SERVICE_RATE_READS: '0',
        SERVICE_RATE_WRITES: '0',
      })
      await set(app, cats, { duplicates: 'allow' })
      const trashed: string[] = []
      for (let count = 0; count < mostRestored; count += 1)
        trashed.push((await uploaded(app, cats, { key: bob.key })).id_encoded)
      const trashing = { action: 'trash', ids: trashed }
      assert.equal((await ask5(app, cats, 'POST files/bulk', { key, body: trashing })).status, 200)
      const filesAt = async (server: TestApp) =>
        (await ask5(server, cats, 'GET me', { key })).json.limits?.[name]
      assert.equal((await filesAt(app)).used, 0)
      const most = mostRestored + 5
      await limit(app, cats, {
        SERVICE_ENABLE_UPLOAD_FLOOD_PROTECTION: '0',
        SERVICE_RATE_READS: '0',
        SERVICE_RATE_WRITES: '0',
        [name]: String(most),
      })
      for (const server of servers.all)
        await until(async () => (await filesAt(server))?.value === most, 'it knows the limit')

      const { type, bytes } = multipartOf([{ name: 'source', fileName: 'cat.png', value: await picture() }])
      const headers = { host: cats.hostname, 'content-type': type, 'x-api-key': key }
      const restore = async (server: TestApp, ids: string[]) => {
        const body = { action: 'restore', ids }
        const { json } = await ask5(server, cats, 'POST files/bulk', { key, body })
        return json.results.map((result: { status: number; code: string }) => [result.status, result.code])
      }
      const all = fewInQuick(
        times(1_000, (index) => index),
        120,
      )
      const answers: [number, string | undefined][] = []
      for (let from = 0; from < all.length; from += 40) {
        const some = all
          .slice(from, from + 40)
          .map(async (index): Promise<[number, string | undefined][]> => {
            const server = servers.all[index % servers.all.length] ?? app
            const id = index % 2 === 0 ? trashed.at((index / 2) % trashed.length) : undefined
            if (index % 4 === 0 && id) return restore(server, [id])
            const answer = id
              ? await ask5(server, cats, `POST files/${id}/restore`, { key })
              : await app.send('POST', '/api/5/files', { bytes, headers })
            return [[answer.status, answer.json.code]]
          })
        answers.push(...(await Promise.all(some)).flat())
      }
      for (const [status, code] of answers)
        assert.ok(
          [200, 201, 404, 409].includes(status) || (status === 403 && code === 'limit-reached'),
          `${status} ${code}`,
        )
      assert.equal(
        (await filesAt(app)).used,
        most,
        JSON.stringify(tally(answers.map(([status]) => ({ status })))),
      )
      await assertHealthy(app.app)
    })
})
