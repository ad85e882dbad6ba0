import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { ask } from '../support/delivered.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { ask5, keyOf, logIn, problem } from '../support/media.ts'
import { times } from '../support/servers/several-servers.ts'
import { bare, rotateKey, showKey, signedBy, siteWithPictures } from '../support/signing.ts'
import { runsOf } from '../support/tiers.ts'
import { moveTo, onSiteOf, userWithKey } from '../support/uploads.ts'

const week = 604_800

onEachStore('signing keys', (store) => {
  test('are read and rotated by administrators alone', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const admin = await keyOf(app, cats, 'admin')
    const shown = await showKey(app, cats, admin)
    assert.match(shown.key, /^[0-9a-f]{64}$/)
    assert.match(shown.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.deepEqual(Object.keys(shown), ['key', 'created_at', 'previous'])
    assert.equal(shown.previous, null)
    const calls = ['GET signing-key', 'POST signing-key/rotate'] as const
    const body = (call: string) => (call.startsWith('POST') ? { body: { overlap_seconds: 0 } } : {})
    const others = []
    for (const role of ['manager', 'user'] as const) {
      const { userId } = await userWithKey(app, cats, role, role)
      others.push(await keyOf(app, cats, 'admin', userId))
    }
    const own = await logIn(app, cats)
    for (const call of calls) {
      assert.deepEqual(problem(await ask5(app, cats, call, body(call))), [401, 'unauthenticated'])
      for (const scope of ['upload', 'read', 'write'] as const) {
        const key = await keyOf(app, cats, scope)
        assert.deepEqual(problem(await ask5(app, cats, call, { key, ...body(call) })), [403, 'scope-missing'])
      }
      for (const key of others)
        assert.equal((await ask5(app, cats, call, { key, ...body(call) })).status, 403)
      assert.equal((await ask5(app, cats, call, { headers: own.headers, ...body(call) })).status, 200)
    }
    app.wait(600)
    for (const call of calls)
      assert.deepEqual(problem(await ask5(app, cats, call, { headers: own.headers, ...body(call) })), [
        403,
        'proof-needed',
      ])
    const dogs = await app.tenant('dogs')
    assert.notEqual((await showKey(app, dogs, await keyOf(app, dogs, 'admin'))).key, shown.key)
  })

  test('two are valid while they are rotated, each until its end by the clock', async () => {
    await using app = await startTestApp({ store })
    const { cats, key, hidden, open, file } = await siteWithPictures(app)
    const first = await showKey(app, cats, key)
    const address = async () => (await ask5(app, cats, `GET files/${hidden.id_encoded}`, { key })).json.url
    const path = bare(hidden.url)
    const square = `${open.url}?width=300&height=300`
    const status = async (url: string) => (await ask(app, url)).status
    const given = await address()
    const own = [signedBy(first.key, path), signedBy(first.key, square)]
    assert.equal(own[0], hidden.url)
    for (const url of [...own, given]) assert.equal(await status(url), 200, url)

    const second = await rotateKey(app, cats, key, { overlap: 300 })
    assert.deepEqual({ ...(await showKey(app, cats, key)), isReplayed: false }, second)
    assert.notEqual(second.key, first.key)
    assert.deepEqual(second.previous, {
      key: first.key,
      ends_at: new Date(Date.parse(second.created_at) + 300_000).toISOString(),
    })
    const followed = await address()
    const kept = await ask5(app, cats, `GET files/${hidden.id_encoded}`, {
      key,
      headers: { 'if-none-match': '"1"' },
    })
    assert.deepEqual([kept.status, kept.headers.etag, kept.json.url], [200, '"1"', followed])
    const fresh = [signedBy(second.key, path), signedBy(second.key, square)]
    assert.notEqual(followed, given)
    for (let time = 0; time < 2; time += 1)
      for (const url of [...own, ...fresh, given, followed]) assert.equal(await status(url), 200, url)
    assert.deepEqual((await ask(app, own[0] ?? '')).bytes, file)
    for (const url of own) {
      const [, age] = /max-age=(\d+)/.exec(String((await ask(app, url)).headers['cache-control'])) ?? []
      assert.ok(Number(age) <= 300, `${age} seconds`)
    }
    moveTo(app, new Date(Date.parse(second.previous.ends_at) - 60_000).toISOString())
    for (const url of [...own, ...fresh]) assert.equal(await status(url), 200, url)
    moveTo(app, second.previous.ends_at)
    for (let time = 0; time < 2; time += 1) {
      for (const url of fresh) assert.equal(await status(url), 200, url)
      assert.deepEqual([await status(own[0] ?? ''), await status(own[1] ?? '')], [404, 403])
      assert.deepEqual([await status(given), await status(followed)], [404, 200])
    }
    assert.equal((await showKey(app, cats, key)).previous, null)

    const third = await rotateKey(app, cats, key, { overlap: week })
    assert.equal(third.previous.key, second.key)
    const fourth = await rotateKey(app, cats, key, { overlap: week })
    assert.equal(fourth.previous.key, third.key)
    for (const url of [...own, ...fresh]) assert.notEqual(await status(url), 200, url)
    assert.equal(await status(signedBy(third.key, path)), 200)
    const fifth = await rotateKey(app, cats, key)
    assert.equal(fifth.previous, null)
    assert.equal(await status(signedBy(fourth.key, path)), 404)
    assert.equal(await status(signedBy(fifth.key, path)), 200)
  })

  test('a rotation names every fault, and is answered once for its Idempotency-Key', async () => {
    await using app = await startTestApp({ store })
    const { cats, key, hidden } = await siteWithPictures(app)
    const first = await showKey(app, cats, key)
    for (const overlap of [-1, week + 1, 1.5, '60', null, undefined]) {
      const body = { overlap_seconds: overlap }
      const refused = await ask5(app, cats, 'POST signing-key/rotate', { key, body })
      assert.deepEqual(problem(refused), [400, 'invalid'])
      assert.deepEqual(
        refused.json.errors.map(({ pointer }: { pointer: string }) => pointer),
        ['#/overlap_seconds'],
      )
    }
    const body = { overlap_seconds: 0, key: first.key }
    assert.equal((await ask5(app, cats, 'POST signing-key/rotate', { key, body })).status, 400)
    assert.deepEqual(await showKey(app, cats, key), first)

    const headers = { 'idempotency-key': 'rotate-once' }
    const once = await rotateKey(app, cats, key, { overlap: 60, headers })
    const again = await Promise.all(times(4, () => rotateKey(app, cats, key, { overlap: 60, headers })))
    for (const each of again) assert.deepEqual(each, { ...once, isReplayed: true })
    const other = { key, headers, body: { overlap_seconds: 61 } }
    assert.equal((await ask5(app, cats, 'POST signing-key/rotate', other)).status, 422)
    assert.equal((await showKey(app, cats, key)).key, once.key)
    assert.equal((await ask(app, signedBy(first.key, bare(hidden.url)))).status, 200)

    const { json: log } = await ask5(app, cats, 'GET audit?verb=signing_key.rotated', { key })
    assert.deepEqual(
      log.data.map(({ verb, target, after, actor }: any) => ({ verb, target, after, kind: actor.kind })),
      [{ verb: 'signing_key.rotated', target: '', after: { overlap_seconds: 60 }, kind: 'key' }],
    )
    const rows = await onSiteOf(app, cats, async ({ db, number }) => {
      const control = app.app.control.store.control
      return JSON.stringify([
        await db.selectFrom('signingKey').selectAll().execute(),
        await db.selectFrom('audit').selectAll().execute(),
        await db.selectFrom('idempotencyKey').selectAll().execute(),
        await control.selectFrom('site').selectAll().where('number', '=', number).execute(),
      ])
    })
    assert.match(rows, /"sealedKeys":""/)
    for (const secret of [first.key, once.key])
      for (const form of ['hex', 'base64', 'base64url'] as const) {
        const text = Buffer.from(secret, 'hex').toString(form)
        assert.ok(!rows.includes(text.replace(/=+$/, '')), form)
      }
  })

  test('of 32 rotations at once each goes on from another, and two keys are left', async () => {
    await using app = await startTestApp({ store, environment: { SERVICE_RATE_WRITES: '0' } })
    const { cats, key, hidden } = await siteWithPictures(app)
    const first = await showKey(app, cats, key)
    const rotated = await Promise.all(times(32, () => rotateKey(app, cats, key, { overlap: week })))
    const keys = [first.key, ...rotated.map((each) => each.key)]
    assert.equal(new Set(keys).size, 33)
    const before = rotated.map(({ previous }) => previous.key)
    assert.equal(new Set(before).size, 32)
    const [last, ...others] = keys.filter((each) => !before.includes(each))
    assert.deepEqual(others, [])
    const shown = await showKey(app, cats, key)
    const { isReplayed: _, ...newest } = rotated.find((each) => each.key === last) ?? {}
    assert.deepEqual(shown, newest)
    const path = bare(hidden.url)
    for (const each of keys) {
      const isValid = each === shown.key || each === shown.previous.key
      assert.equal((await ask(app, signedBy(each, path))).status, isValid ? 200 : 404)
    }
  })

  test('a signature opens nothing but the file, options, version, time and site that it was made for', async () => {
    await using app = await startTestApp({ store })
    const { cats, key, hidden, open } = await siteWithPictures(app)
    const dogs = await app.tenant('dogs')
    const old = await showKey(app, cats, key)
    const { key: current } = await rotateKey(app, cats, key, { overlap: week })
    const foreign = (await showKey(app, dogs, await keyOf(app, dogs, 'admin'))).key
    const end = String(Math.floor(app.app.control.clock.now().getTime() / 1_000) + 3_600)
    const options = { width: '301', height: '201', format: 'webp', e: end }
    const urlOf = (of: { url: string }, query: Record<string, string>) =>
      `${bare(of.url)}?${new URLSearchParams(query)}`
    const value = fc.constantFrom('300', '302', '1', 'png', 'jpeg', String(Number(end) + 1), '9999999999')
    const mutation = fc.oneof(
      fc.record({ kind: fc.constant('path' as const) }),
      fc.record({
        kind: fc.constant('value' as const),
        name: fc.constantFrom(...Object.keys(options)),
        value,
      }),
      fc.record({ kind: fc.constant('more' as const), name: fc.constantFrom('fit', 'dpr', 'v', 'x'), value }),
      fc.record({ kind: fc.constant('less' as const), name: fc.constantFrom(...Object.keys(options)) }),
      fc.record({ kind: fc.constant('name' as const) }),
      fc.record({ kind: fc.constant('version' as const), version: fc.constantFrom(0, 2, 10) }),
      fc.record({ kind: fc.constant('site' as const) }),
      fc.record({
        kind: fc.constant('key' as const),
        at: fc.nat(63),
        digit: fc.constantFrom(...'0123456789abcdef'),
      }),
      fc.record({
        kind: fc.constant('signature' as const),
        at: fc.nat(31),
        digit: fc.constantFrom(...'0123456789abcdef'),
      }),
    )
    const withDigit = (text: string, at: number, digit: string) =>
      text.slice(0, at) + digit + text.slice(at + 1)
    for (const [of, status] of [
      [hidden, 404],
      [open, 403],
    ] as const)
      for (const by of [current, old.key])
        assert.equal((await ask(app, signedBy(by, urlOf(of, options)))).status, 200, String(status))
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom([hidden, open, 404] as const, [open, hidden, 403] as const),
        fc.constantFrom(current, old.key),
        mutation,
        async ([of, other, status], by, change) => {
          const asked: Record<string, string> = { ...options }
          const signed = new URL(signedBy(by, urlOf(of, options)))
          let s = signed.searchParams.get('s') ?? ''
          let [file, expected]: [{ url: string }, number] = [of, status]
          switch (change.kind) {
            case 'path':
              ;[file, expected] = [other, other === hidden ? 404 : 403]
              break
            case 'value':
              fc.pre(asked[change.name] !== change.value)
              asked[change.name] = change.value
              break
            case 'more':
              asked[change.name] = change.value
              break
            case 'less':
              delete asked[change.name]
              break
            case 'name':
              asked.w = asked.width ?? ''
              delete asked.width
              break
            case 'version':
              s = new URL(signedBy(by, urlOf(of, options), change.version)).searchParams.get('s') ?? ''
              break
            case 'site':
              s = new URL(signedBy(foreign, urlOf(of, options))).searchParams.get('s') ?? ''
              break
            case 'key':
              fc.pre(by[change.at] !== change.digit)
              s =
                new URL(
                  signedBy(withDigit(by, change.at, change.digit), urlOf(of, options)),
                ).searchParams.get('s') ?? ''
              break
            case 'signature':
              fc.pre(s[change.at] !== change.digit)
              s = withDigit(s, change.at, change.digit)
          }
          const answer = await ask(app, urlOf(file, { ...asked, s }))
          // A faulty option of an open file is named before its signature is looked at.
          const isFaulty = expected === 403 && answer.status === 400
          assert.ok(answer.status === expected || isFaulty, `${answer.status} ${JSON.stringify(change)}`)
          assert.equal(answer.headers['cache-control'], 'no-store')
        },
      ),
      { numRuns: runsOf(300) },
    )
  })
})
