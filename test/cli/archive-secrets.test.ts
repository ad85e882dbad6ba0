import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { sealText } from '../../src/lib/sealed-text.ts'
import { deriveSiteKey } from '../../src/site/index.ts'
import { ask } from '../support/delivered.ts'
import { assertHealthy } from '../support/doctor.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { exportTo, linesOfEntry, unpacked } from '../support/stores/archives.ts'
import { backupFolder, serveAt } from '../support/stores/backups.ts'
import { freshInstallation } from '../support/tool.ts'
import { onSiteOf, type TestTenant, uploaded } from '../support/uploads.ts'

const at = '2026-01-01T00:00:00.000Z'
const canaries = ['canary-of-env', 'canary-of-provider', 'canary-of-second-step', 'canary-of-share']

/** A tenant with a secret of every kind, and a file whose address is signed. */
async function catsWithSecrets(app: TestApp): Promise<{ cats: TestTenant; signed: string }> {
  const cats = await app.tenant('cats')
  await app.call('PATCH', 'tenants/cats', { env: { CANARY: 'canary-of-env' } })
  const image = await uploaded(app, cats)
  await onSiteOf(app, cats, async ({ db, number }) => {
    const key = (purpose: 'log-ins' | 'share tokens') =>
      deriveSiteKey(app.app.requestSecret, { number }, purpose)
    const { id: userId } = await db.selectFrom('user').select('id').executeTakeFirstOrThrow()
    await db
      .insertInto('loginProvider')
      .values({
        name: 'work',
        title: 'Work',
        issuer: 'https://work.test',
        clientId: 'cats',
        scopes: 'openid',
        sealedSecret: sealText(key('log-ins'), 'canary-of-provider', 'secret of the login provider work'),
        isEnabled: 1,
        isSignUpOpen: 0,
        newUserRole: 'user',
        sortOrder: 1,
        version: 1,
        createdAt: at,
        updatedAt: at,
      })
      .execute()
    const sealedSecret = sealText(key('log-ins'), 'canary-of-second-step', `second step of ${userId}`)
    await db.insertInto('totp').values({ userId, sealedSecret, lastStep: 1, createdAt: at }).execute()
    await db.insertInto('recoveryCode').values({ userId, codeHash: 'hash' }).execute()
    await db
      .insertInto('share')
      .values({
        id: 'share1',
        tokenHash: 'hash',
        userId,
        albumId: null,
        name: '',
        passwordHash: null,
        fileId: (await db.selectFrom('file').select('id').executeTakeFirstOrThrow()).id,
        sealedToken: sealText(key('share tokens'), 'canary-of-share', 'share share1'),
        allowDownload: 1,
        allowUpload: 0,
        maxViews: null,
        views: 0,
        maxUploads: null,
        uploads: 0,
        createdAt: at,
        expiresAt: null,
        revokedAt: null,
        message: '',
        asksName: 0,
      })
      .execute()
    // A provider counts in the totals.
    await db.updateTable('total').set({ value: 1 }).where('name', '=', 'loginProviders').execute()
  })
  await onSiteOf(app, cats, ({ db }) => db.updateTable('file').set({ isPrivate: 1 }).execute())
  const key = await keyOf(app, cats, 'read')
  const { json } = await ask5(app, cats, `GET files/${image.id_encoded}`, { key })
  assert.match(json.url, /[?]/)
  assert.equal((await ask(app, json.url)).status, 200)
  return { cats, signed: json.url }
}

const secretsAt = (app: TestApp, cats: TestTenant) =>
  onSiteOf(app, cats, async ({ db }) => ({
    provider: await db.selectFrom('loginProvider').select(['sealedSecret', 'isEnabled']).executeTakeFirst(),
    totp: await db.selectFrom('totp').select(['sealedSecret']).execute(),
    codes: await db.selectFrom('recoveryCode').select('codeHash').execute(),
    share: await db.selectFrom('share').select('sealedToken').executeTakeFirst(),
  }))

test('an archive without a passphrase has no secret in any form', async () => {
  await using folder = await backupFolder()
  await using app = await startTestApp()
  const { cats } = await catsWithSecrets(app)
  for (const passphrase of [undefined, 'a long passphrase']) {
    const path = join(folder.path, `${passphrase}.tar`)
    await exportTo(app, path, passphrase === undefined ? {} : { passphrase })
    const archive = await readFile(path)
    for (const secret of [...canaries, app.app.requestSecret, ...(passphrase ? [passphrase] : [])]) {
      const bytes = Buffer.from(secret)
      for (const form of [
        secret,
        bytes.toString('hex'),
        bytes.toString('base64').replace(/=+$/, ''),
        bytes.toString('base64url'),
      ])
        assert.ok(!archive.includes(form), `${secret} as ${form}`)
    }
    const sealed = await secretsAt(app, cats)
    for (const text of [
      sealed.provider?.sealedSecret,
      sealed.totp[0]?.sealedSecret,
      sealed.share?.sealedToken,
    ])
      assert.ok(text && !archive.includes(text))
    const [head] = linesOfEntry((await unpacked(path)).at(-1) as any)
    assert.equal(head.has_secrets, passphrase !== undefined)
  }
})

test('secrets are imported with the passphrase, and left out without it', async () => {
  await using folder = await backupFolder()
  await using app = await startTestApp()
  const { cats, signed } = await catsWithSecrets(app)
  const archive = join(folder.path, 'cats.tar')
  await exportTo(app, archive, { passphrase: 'a long passphrase' })

  await using other = await freshInstallation()
  await other.json('tenants', 'create', '--id', 'first', '--hostname', 'first.test')
  const wrong = await other.run('tenants', 'import', archive, '--passphrase', 'wrong')
  assert.deepEqual([wrong.code, wrong.out], [1, ''])
  assert.match(wrong.err, /The passphrase does not open the secrets of the archive, tables\/secrets\.ndjson/)
  const imported = await other.json('tenants', 'import', archive, '--passphrase', 'a long passphrase')
  assert.deepEqual(imported.env, { CANARY: 'canary-of-env' })
  {
    await using there = await serveAt(other)
    const secrets = await secretsAt(there, cats)
    assert.deepEqual([secrets.totp.length, secrets.codes.length, secrets.provider?.isEnabled], [1, 1, 1])
    assert.ok(secrets.share?.sealedToken && secrets.provider?.sealedSecret)
    assert.equal((await ask(there, signed)).status, 200)
    await assertHealthy(there.app)
    // A second export has the same secrets.
    const again = join(folder.path, 'again.tar')
    await exportTo(there, again, { passphrase: 'another passphrase' })
    await using third = await freshInstallation()
    assert.deepEqual(
      (await third.json('tenants', 'import', again, '--passphrase', 'another passphrase')).env,
      { CANARY: 'canary-of-env' },
    )
    await using fourth = await serveAt(third)
    assert.equal((await ask(fourth, signed)).status, 200)
  }

  await using without = await freshInstallation()
  await without.json('tenants', 'create', '--id', 'first', '--hostname', 'first.test')
  assert.deepEqual((await without.json('tenants', 'import', archive)).env, {})
  await using there = await serveAt(without)
  assert.notEqual((await ask(there, signed)).status, 200)
  const secrets = await secretsAt(there, cats)
  assert.deepEqual(secrets, {
    provider: { sealedSecret: '', isEnabled: 0 },
    totp: [],
    codes: [],
    share: { sealedToken: '' },
  })
  await assertHealthy(there.app)
})
