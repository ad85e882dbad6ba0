import assert from 'node:assert/strict'
import { test } from 'vitest'
import { editUser } from '../../src/accounts/index.ts'
import { onEachStore } from '../support/harness.ts'
import { ask5, logIn } from '../support/media.ts'
import { askPage, cookieIn, visitAs } from '../support/pages.ts'
import { type MailSite, startMailSite } from '../support/servers/mail-site.ts'
import { onSiteOf, userWithKey } from '../support/uploads.ts'

const password = 'a long password'
const other = 'another long one'

/** A reset link and a link to confirm a new address, both of a user, and whether they still open. */
async function linksOf(site: MailSite, name = 'bob') {
  const { app, cats } = site
  await site.askReset(`${name}@example.com`)
  const reset = await site.read(`${name}@example.com`, /New password/)
  const body = { email: `new-${name}@example.com`, current_password: password }
  const { headers } = await logIn(app, cats, { login: name, password })
  const edited = await ask5(app, cats, 'PATCH me', { body, headers })
  assert.equal(edited.status, 200, edited.text)
  const address = await site.read(`new-${name}@example.com`, /Confirm/)
  const open = async () =>
    Promise.all([reset, address].map(async ({ path }) => (await askPage(app, cats, `GET ${path}`)).status))
  assert.deepEqual(await open(), [200, 200])
  return { open, reset, address }
}

type Change = (site: MailSite, id: string, name: string) => Promise<unknown>

const asAda = async ({ app, cats }: MailSite, id: string, body: Record<string, unknown>) => {
  const { headers } = await logIn(app, cats)
  const changed = await ask5(app, cats, `PATCH users/${id}`, {
    body,
    headers: { ...headers, 'if-match': '*' },
  })
  assert.equal(changed.status, 200, changed.text)
}

const onDashboard = async (
  { app, cats }: MailSite,
  id: string,
  form: string,
  fields: Record<string, string>,
) => {
  const ada = await visitAs(app, cats)
  const { text } = await ada.show(`/dashboard/users/${id}`)
  const [, version = ''] = /name="version" value="(\d+)"/.exec(text) ?? []
  const changed = await ada.send(`/dashboard/users/${id}/${form}`, { version, ...fields })
  assert.ok(changed.status === 303 || changed.status === 200, changed.text)
}

const changes: Readonly<Record<string, Change>> = {
  'own password, by page': async ({ app, cats }, _, login) => {
    const bob = await visitAs(app, cats, { login, password })
    const form = { current: password, password: other }
    assert.equal((await bob.send('/settings/security', form)).status, 303)
  },
  'own password, by API': async ({ app, cats }, _, login) => {
    const { headers } = await logIn(app, cats, { login, password })
    const body = { password: other, current_password: password }
    assert.equal((await ask5(app, cats, 'PATCH me', { headers, body })).status, 200)
  },
  'password by staff': (site, id) => asAda(site, id, { password: other }),
  'address by staff': (site, id) => asAda(site, id, { email: 'other@example.com' }),
  'role by staff': (site, id) => asAda(site, id, { role: 'manager' }),
  'ban and its end': async (site, id) => {
    await asAda(site, id, { is_banned: true })
    await asAda(site, id, { is_banned: false })
  },
  'role on the dashboard': (site, id) => onDashboard(site, id, 'role', { role: 'manager' }),
  'password on the dashboard': (site, id) => onDashboard(site, id, 'password', { by: 'shown' }),
  'address by the tool': ({ app, cats }, _, username) =>
    onSiteOf(app, cats, (site) => editUser(site, { username, email: 'tool@example.com' })),
  'password by the operator': ({ app }, _, username) =>
    app.call('PATCH', 'tenants/cats/user-password-reset', { username, password: other }),
}

onEachStore('links in mails', (store) => {
  test('end with every change of password, address, role or ban, by every door', async () => {
    await using site = await startMailSite(store)
    for (const [index, [what, change]] of Object.entries(changes).entries()) {
      const name = `user-${index}`
      const { userId } = await userWithKey(site.app, site.cats, name)
      const { open } = await linksOf(site, name)
      await change(site, userId, name)
      assert.deepEqual(await open(), [404, 404], what)
    }
  })

  test('of several reset links each opens, and using one ends all', async () => {
    await using site = await startMailSite(store)
    const { app, cats } = site
    await userWithKey(app, cats, 'bob')
    const { open, reset, address } = await linksOf(site)
    await site.askReset('bob@example.com')
    const second = await site.read('bob@example.com', /New password/)
    assert.deepEqual(await open(), [200, 200], 'the mail before may be unread')
    const form = { password: other }
    assert.equal((await askPage(app, cats, `POST ${reset.path}`, { form })).status, 303)
    assert.deepEqual(await open(), [404, 404])
    for (const { path } of [second, address, reset])
      assert.equal((await askPage(app, cats, `POST ${path}`, { form })).status, 404)
  })

  test('a confirmed address ends the reset links that went to the old one', async () => {
    await using site = await startMailSite(store)
    const { app, cats } = site
    await userWithKey(app, cats, 'bob')
    const { open, address } = await linksOf(site)
    assert.equal((await askPage(app, cats, `POST ${address.path}`, { form: {} })).status, 303)
    assert.deepEqual(await open(), [404, 404])
    const form = { login: 'new-bob@example.com', password }
    assert.ok(cookieIn(await askPage(app, cats, 'POST /login', { form })))
  })
})
