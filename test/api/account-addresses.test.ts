import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Site } from '../../src/site/index.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { ask5, keyOf, logIn } from '../support/media.ts'
import { askPage, visitAs } from '../support/pages.ts'
import { startMailSite } from '../support/servers/mail-site.ts'
import { runHere } from '../support/tool.ts'
import { onSiteOf, uploaded, userWithKey } from '../support/uploads.ts'

const password = 'a long password'
const bob = { login: 'bob', password }

type App = Parameters<typeof ask5>[0]
type Tenant = Parameters<typeof ask5>[1]

/** What the account says of its addresses. */
async function addressesOf(app: App, cats: Tenant, key: string) {
  const { user } = (await ask5(app, cats, 'GET me', { key })).json
  return [user.email, user.is_email_confirmed, user.pending_email]
}

const waysIn = ['passkey', 'identity', 'totp', 'recoveryCode'] as const

/** A passkey, a connected account and a second step, as an attacker may have made them. */
async function addWaysIn({ db, clock }: Site, userId: string) {
  const [createdAt, id] = [clock.now().toISOString(), userId]
  const provider = {
    name: 'office',
    title: 'Office',
    issuer: 'https://login.example',
    clientId: 'x',
    sealedSecret: '',
    scopes: 'openid',
    isEnabled: 0,
    isSignUpOpen: 0,
    sortOrder: 0,
    version: 1,
    createdAt,
    updatedAt: createdAt,
    newUserRole: 'user' as const,
  }
  const isConflict = (conflict: { doNothing(): unknown }) => conflict.doNothing() as never
  await db.insertInto('loginProvider').values(provider).onConflict(isConflict).execute()
  const named = { id, userId, createdAt, lastUsedAt: null }
  const passkey = { credentialId: id, publicKey: '', counter: 0, transports: '[]', hostname: 'cats.test' }
  await db
    .insertInto('passkey')
    .values({ ...named, ...passkey, name: 'Phone' })
    .execute()
  const identity = { providerName: 'office', subject: id, label: 'bob' }
  await db
    .insertInto('identity')
    .values({ ...named, ...identity })
    .execute()
  await db.insertInto('totp').values({ userId, sealedSecret: '', lastStep: 0, createdAt }).execute()
  await db.insertInto('recoveryCode').values({ userId, codeHash: id }).execute()
}

const countWaysIn = ({ db }: Site, userId: string) =>
  Promise.all(
    waysIn.map(
      async (table) =>
        (await db.selectFrom(table).select('userId').where('userId', '=', userId).execute()).length,
    ),
  )

onEachStore('addresses with mail', (store) => {
  test('a new address waits until its owner confirms it, whichever door it came by', async () => {
    await using installation = await startMailSite(store)
    const { app, cats } = installation
    const { key } = await userWithKey(app, cats, 'bob')
    assert.deepEqual(await addressesOf(app, cats, key), ['bob@example.com', false, null])
    const { headers } = await logIn(app, cats, bob)
    const body = { email: 'first@example.com', current_password: password }
    const asked = await ask5(app, cats, 'PATCH me', { headers, body })
    assert.deepEqual(
      [asked.status, asked.json.user.email, asked.json.user.pending_email],
      [200, 'bob@example.com', 'first@example.com'],
    )
    const first = await installation.read('first@example.com', /Confirm/)
    assert.match(first.path, /^\/email\/confirm\/\w+$/)

    // Another address takes the place of the one that waits.
    const here = await visitAs(app, cats, bob)
    const sent = await here.send('/settings/email', { email: 'Second@example.com' })
    assert.deepEqual([sent.status, sent.headers.location], [303, '/settings'])
    assert.match((await here.show('/settings')).text, /Second@example\.com/)
    const second = await installation.read('Second@example.com', /Confirm/)
    assert.equal((await askPage(app, cats, `GET ${first.path}`)).status, 404)
    assert.equal((await askPage(app, cats, `POST ${first.path}`, { form: {} })).status, 404)

    const shown = await askPage(app, cats, `GET ${second.path}`)
    assert.deepEqual([shown.status, shown.headers['cache-control']], [200, 'no-store'])
    assert.match(shown.text, /Second@example\.com/)
    assert.deepEqual(await addressesOf(app, cats, key), ['bob@example.com', false, 'Second@example.com'])
    assert.equal((await askPage(app, cats, `POST ${second.path}`, { form: {} })).status, 303)
    assert.deepEqual(await addressesOf(app, cats, key), ['Second@example.com', true, null])
    assert.equal((await askPage(app, cats, `POST ${second.path}`, { form: {} })).status, 404, 'once')

    // Taken back, and too late.
    await here.send('/settings/email', { email: 'third@example.com' })
    const third = await installation.read('third@example.com', /Confirm/)
    assert.equal((await here.send('/settings/email/cancel', {})).status, 303)
    assert.equal((await askPage(app, cats, `GET ${third.path}`)).status, 404)
    assert.deepEqual(await addressesOf(app, cats, key), ['Second@example.com', true, null])
    await here.send('/settings/email', { email: 'fourth@example.com' })
    const late = await installation.read('fourth@example.com', /Confirm/)
    app.wait(86_401)
    assert.equal((await askPage(app, cats, `POST ${late.path}`, { form: {} })).status, 404)
  })

  test('an address that another user has gets the same answer, and its owner a mail without a link to confirm', async () => {
    await using installation = await startMailSite(store)
    const { app, cats } = installation
    await userWithKey(app, cats, 'bob')
    const { headers } = await logIn(app, cats, bob)
    const ask = (email: string) =>
      ask5(app, cats, 'PATCH me', { headers, body: { email, current_password: password } })
    const [taken, free] = [await ask('Ada@example.com'), await ask('free@example.com')]
    const plain = (text: string) => text.replaceAll(/Ada@example.com|free@example.com/g, 'X')
    assert.deepEqual([taken.status, plain(taken.text)], [free.status, plain(free.text)])
    const notice = await installation.read('Ada@example.com', /Your account/)
    assert.match(notice.text, /already have an account: ada/)
    assert.equal(notice.path, '/password')
    const here = await visitAs(app, cats, bob)
    const pages = [
      await here.send('/settings/email', { email: 'ada@example.com' }),
      await here.send('/settings/email', { email: 'free2@example.com' }),
    ]
    assert.deepEqual(
      pages.map(({ status, headers }) => [status, headers.location]),
      [
        [303, '/settings'],
        [303, '/settings'],
      ],
    )
  })

  test('an unconfirmed address blocks no other user: the first to confirm it has it', async () => {
    await using installation = await startMailSite(store)
    const { app, cats } = installation
    const { key } = await userWithKey(app, cats, 'bob')
    const here = await visitAs(app, cats, bob)
    await here.send('/settings/email', { email: 'carol@example.com' })
    const bobs = await installation.read('carol@example.com', /Confirm/)
    const form = { username: 'carol', email: 'carol@example.com' }
    assert.equal((await askPage(app, cats, 'POST /signup', { form })).status, 200)
    const { path } = await installation.read('carol@example.com', /Your account/)
    assert.equal((await askPage(app, cats, `POST ${path}`, { form: { password: 'carols own' } })).status, 303)
    assert.equal((await askPage(app, cats, `POST ${bobs.path}`, { form: {} })).status, 409)
    assert.deepEqual((await addressesOf(app, cats, key)).slice(0, 2), ['bob@example.com', false])
  })

  test('what staff or the tool wrote is not confirmed, and a used link confirms it', async () => {
    await using installation = await startMailSite(store)
    const { app, cats } = installation
    const { userId } = await userWithKey(app, cats, 'bob')
    const admin = await keyOf(app, cats, 'admin')
    const confirmed = async () =>
      (await ask5(app, cats, `GET users/${userId}`, { key: admin })).json.is_email_confirmed
    assert.equal(await confirmed(), false)
    await installation.askReset('bob@example.com')
    const reset = await installation.read('bob@example.com', /New password/)
    await askPage(app, cats, `POST ${reset.path}`, { form: { password: 'another long one' } })
    assert.equal(await confirmed(), true)
    const edit = { key: admin, body: { email: 'staff@example.com' }, headers: { 'if-match': '*' } }
    assert.equal((await ask5(app, cats, `PATCH users/${userId}`, edit)).json.is_email_confirmed, false)
    const edited = await runHere(
      ['site', '--tenant', 'cats', 'user:edit', '--username', 'bob', '--email', 'tool@example.com', '--json'],
      app.environment,
    )
    const { email, is_email_confirmed } = JSON.parse(edited.out)
    assert.deepEqual([edited.code, email, is_email_confirmed], [0, 'tool@example.com', false])
    // The user confirms the address by entering it again.
    const here = await visitAs(app, cats, { ...bob, password: 'another long one' })
    assert.match((await here.show('/settings')).text, /confirmed this address yet/)
    await here.send('/settings/email', { email: 'tool@example.com' })
    const { path } = await installation.read('tool@example.com', /Confirm/)
    await askPage(app, cats, `POST ${path}`, { form: {} })
    assert.equal(await confirmed(), true)
  })

  test('a reset ends what was made before the address was confirmed, and keeps what was made after', async () => {
    await using installation = await startMailSite(store)
    const { app, cats } = installation
    const { userId, key: early } = await userWithKey(app, cats, 'bob')
    const owners = await keyOf(app, cats, 'write', userId)
    const file = await uploaded(app, cats, { key: early })
    const share = async (key: string) => {
      const { status, json, text } = await ask5(app, cats, `POST files/${file.id_encoded}/shares`, {
        key,
        body: { name: 'one' },
      })
      assert.equal(status, 201, text)
      return new URL(json.url).pathname
    }
    const shared = await share(owners)
    const session = await visitAs(app, cats, bob)
    await onSiteOf(app, cats, (site) => addWaysIn(site, userId))
    const reset = async (password: string) => {
      await installation.askReset('bob@example.com')
      const { path } = await installation.read('bob@example.com', /New password/)
      assert.equal((await askPage(app, cats, `POST ${path}`, { form: { password } })).status, 303)
    }
    const me = async (key: string) => (await ask5(app, cats, 'GET me', { key })).status
    assert.equal((await askPage(app, cats, `GET ${shared}`)).status, 200)

    await reset('another long one')
    assert.deepEqual([await me(early), await me(owners)], [401, 401])
    assert.deepEqual(await onSiteOf(app, cats, (site) => countWaysIn(site, userId)), [0, 0, 0, 0])
    assert.equal((await askPage(app, cats, `GET ${shared}`)).status, 410)
    assert.equal((await session.show('/settings')).status, 302)

    const later = await keyOf(app, cats, 'write', userId)
    const laterShare = await share(later)
    const now = await visitAs(app, cats, { ...bob, password: 'another long one' })
    await onSiteOf(app, cats, (site) => addWaysIn(site, userId))
    await reset('a third long one')
    assert.equal(await me(later), 200)
    assert.deepEqual(await onSiteOf(app, cats, (site) => countWaysIn(site, userId)), [1, 1, 1, 1])
    assert.equal((await askPage(app, cats, `GET ${laterShare}`)).status, 200)
    assert.equal((await now.show('/settings')).status, 302, 'sessions always end')
  })
})

onEachStore('addresses without mail', (store) => {
  test('change at once, as they are entered', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { key } = await userWithKey(app, cats, 'bob')
    const here = await visitAs(app, cats, bob)
    assert.equal((await here.send('/settings/email', { email: 'ada@example.com' })).status, 409)
    const saved = await here.send('/settings/email', { email: 'new@example.com' })
    assert.equal(saved.headers.location, '/settings?saved=1')
    assert.deepEqual(await addressesOf(app, cats, key), ['new@example.com', false, null])
  })
})
