import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { watch } from 'node:fs'
import { copyFile, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { onEachStore } from '../support/harness.ts'
import { freshInstallation, type Installation, ranOf, runHere } from '../support/tool.ts'

const ada = ['--username', 'ada', '--email', 'ada@example.com', '--password', 'a long password']

onEachStore('the tool', (store) => {
  test('prepares an installation, lists what it created, and does it once', async () => {
    await using installation = await freshInstallation(store)
    const first = await installation.run('tenants', 'init')
    assert.equal(first.code, 0)
    assert.equal(first.out.match(/\tcreated$/gm)?.length, 4)
    assert.match(first.err, /prepared/)
    for (const name of ['request-secret', 'encryption-keys']) {
      const { mode } = await stat(join(installation.dataDir, 'secrets', name))
      assert.equal(mode & 0o777, 0o600)
    }
    const again = await installation.run('tenants', 'init')
    assert.equal(again.code, 0)
    assert.equal(again.out.match(/\talready there$/gm)?.length, 4)
    assert.match(again.err, /already there/)
    assert.deepEqual(await installation.json('tenants', 'init'), { data_dir: installation.dataDir, made: [] })
  })

  test('creates, lists, verifies and deletes keys', async () => {
    await using installation = await freshInstallation(store)
    assert.match(
      (await installation.run('tenants', 'api:key:list')).err,
      /no keys yet.*tenants api:key:create/,
    )
    const create = ['tenants', 'api:key:create']
    const key = await installation.json(...create, '--name', 'ci', '--expires', '2090-12-31 23:59:59')
    assert.deepEqual(Object.keys(key), ['id', 'name', 'key', 'created_at', 'expires_at'])
    assert.equal(key.id, key.key.split('_')[1])
    assert.match(key.key, /^trc_\d+_[A-Za-z0-9]{43,}$/)
    assert.deepEqual([key.name, key.expires_at], ['ci', '2090-12-31 23:59:59'])
    const { key: secret, ...record } = key
    assert.deepEqual(await installation.json('tenants', 'api:key:list'), [record])
    assert.deepEqual(await installation.json('tenants', 'api:key:verify', '--key', secret), { key: record })

    const refusals: [string[], string][] = [
      [[...create, '--name', 'ci'], 'already a key named "ci"'],
      [[...create, '--expires', '2001-01-01 00:00:00'], 'must be in the future'],
      [
        ['tenants', 'api:key:verify', '--key', `${secret.slice(0, -1)}!`],
        'The API key is not valid: it is unknown',
      ],
      [['tenants', 'api:key:delete', '--id', '999'], 'no key "999"'],
      [['tenants', 'api:key:delete', '--name', 'none'], 'no key "none"'],
    ]
    for (const [words, says] of refusals) {
      const { code, out, err } = await installation.run(...words)
      assert.deepEqual([code, out], [1, ''])
      assert.ok(err.includes(says), err)
    }
    const unnamed = await installation.json(...create)
    assert.deepEqual([unnamed.name, unnamed.expires_at], [null, null])
    const byNumber = ['tenants', 'api:key:delete', '--id', String(unnamed.id)]
    assert.deepEqual(await installation.json(...byNumber), { id: unnamed.id, deleted: true })
    const byName = ['tenants', 'api:key:delete', '--name', 'ci']
    assert.deepEqual(await installation.json(...byName), { id: key.id, deleted: true })
    const gone = await installation.run('tenants', 'api:key:verify', '--key', secret)
    assert.deepEqual(
      [gone.code, gone.err],
      [1, 'The API key is not valid: it is unknown, deleted or expired.\n'],
    )
  })

  test('shows the signing secret, from the file or the environment', async () => {
    await using installation = await freshInstallation(store)
    const { secret } = await installation.json('tenants', 'secret:show')
    assert.equal((await installation.run('tenants', 'secret:show')).out, `${secret}\n`)
    assert.equal(
      (await readFile(join(installation.dataDir, 'secrets/request-secret'), 'utf8')).trim(),
      secret,
    )
    installation.settings.SERVICE_TENANTS_API_REQUEST_SECRET = 'given by the environment'
    assert.deepEqual(await installation.json('tenants', 'secret:show'), {
      secret: 'given by the environment',
    })
  })

  test('counts and migrates all tenants, or one', async () => {
    await using installation = await freshInstallation(store)
    for (const id of ['ants', 'bees']) {
      await installation.json('tenants', 'create', '--id', id, '--hostname', `${id}.test`)
    }
    await installation.json('tenants', 'install', '--id', 'bees', ...ada)
    assert.deepEqual(await installation.json('tenants', 'stats:refresh'), { refreshed: 2 })
    assert.deepEqual(await installation.json('tenants', 'stats:refresh', '--id', 'bees'), { refreshed: 1 })
    assert.deepEqual(await installation.json('tenants', 'database:migrate'), { migrated: 1 })
    assert.deepEqual(await installation.json('tenants', 'database:migrate', '--id', 'ants'), { migrated: 0 })
    assert.equal((await installation.json('tenants', 'get', '--id', 'bees')).stats.users, 1)
    for (const command of ['stats:refresh', 'database:migrate']) {
      const { code, err } = await installation.run('tenants', command, '--id', 'nobody')
      assert.deepEqual([code, err], [1, 'Tenant not found\n'])
    }
  })

  test('rotates the encryption key, also after an interrupted rotation', async () => {
    await using installation = await freshInstallation(store)
    await makeSecretTenants(installation)
    const before = await keysOf(installation)
    assert.equal(before.length, 1)

    // Killed as soon as the new key is in the file.
    const { promise: isWritten, resolve } = Promise.withResolvers<void>()
    const watcher = watch(join(installation.dataDir, 'secrets'), () => resolve())
    const child = installation.start(['tenants', 'env:rotate'])
    await isWritten
    child.kill('SIGKILL')
    await ranOf(child)
    watcher.close()
    await checkSecretTenants(installation)

    await installation.json('tenants', 'env:rotate')
    const after = await keysOf(installation)
    assert.equal(after.length, 1)
    assert.notEqual(after[0], before[0])
    await checkSecretTenants(installation)

    // Stopped between adding the key and using it: that key is used, not another one.
    const added = randomBytes(32).toString('base64')
    await writeFile(keyFileOf(installation), `${added}\n${after[0]}\n`)
    await checkSecretTenants(installation)
    assert.deepEqual(await installation.json('tenants', 'env:rotate'), { resealed: 3, retired: true })
    assert.deepEqual(await keysOf(installation), [added])
    await checkSecretTenants(installation)

    // Two at once end in one key that opens everything.
    const both = await Promise.all([
      installation.bin('tenants', 'env:rotate'),
      installation.bin('tenants', 'env:rotate'),
    ])
    assert.deepEqual(
      both.map(({ code }) => code),
      [0, 0],
    )
    assert.equal((await keysOf(installation)).length, 1)
    await checkSecretTenants(installation)
  })

  test('encrypts with the first of the given keys, and prints the next step', async () => {
    const [oldKey, newKey] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')]
    await using installation = await freshInstallation(store, { SERVICE_ENCRYPTION_KEY: oldKey })
    await makeSecretTenants(installation)
    installation.settings.SERVICE_ENCRYPTION_KEY = newKey
    const { code, err } = await installation.run('tenants', 'list')
    assert.equal(code, 1)
    assert.match(err, /SERVICE_ENCRYPTION_KEY: this installation was set up with another one/)

    installation.settings.SERVICE_ENCRYPTION_KEY = `${newKey},${oldKey}`
    const rotated = await installation.run('tenants', 'env:rotate')
    assert.equal(rotated.code, 0)
    assert.match(rotated.out, /^3 values are encrypted with the first key of SERVICE_ENCRYPTION_KEY/)
    assert.match(rotated.err, /shorten SERVICE_ENCRYPTION_KEY to its first key/)
    assert.deepEqual(await installation.json('tenants', 'env:rotate'), { resealed: 0, retired: false })
    installation.settings.SERVICE_ENCRYPTION_KEY = newKey
    await checkSecretTenants(installation)
  })
})

test('a data folder can go back to the secret in its file after another one was given', async () => {
  await using installation = await freshInstallation()
  const { secret } = await installation.json('tenants', 'secret:show')
  const given = {
    ...installation.settings,
    SERVICE_TENANTS_API_REQUEST_SECRET: 'a secret that somebody gave',
  }
  const { code, out } = await runHere(['tenants', 'secret:show', '--json'], given)
  assert.deepEqual([code, JSON.parse(out).secret], [0, 'a secret that somebody gave'])
  assert.deepEqual(await installation.json('tenants', 'secret:show'), { secret })
})

test('a site that cannot be migrated is named, and the others are migrated', async () => {
  await using installation = await freshInstallation()
  for (const id of ['ants', 'bees', 'cats']) {
    await installation.json('tenants', 'create', '--id', id, '--hostname', `${id}.test`)
    await installation.json('tenants', 'install', '--id', id, ...ada)
  }
  const file = join(installation.dataDir, 'sites/2/site.db')
  await copyFile(file, `${file}.kept`)
  await writeFile(file, 'no database at all, and longer than the header of one'.repeat(40))
  for (const command of ['database:migrate', 'stats:refresh']) {
    const { code, out, err } = await installation.run('tenants', command)
    assert.deepEqual([code, out], [1, ''])
    assert.match(err, /^1 of 3 .*\n {2}bees: .*\n$/)
  }
  await copyFile(`${file}.kept`, file)
  assert.deepEqual(await installation.json('tenants', 'database:migrate'), { migrated: 3 })
})

const keyFileOf = (installation: Installation) => join(installation.dataDir, 'secrets/encryption-keys')

const keysOf = async (installation: Installation) =>
  (await readFile(keyFileOf(installation), 'utf8')).trim().split('\n')

async function makeSecretTenants(installation: Installation): Promise<void> {
  for (const id of ['ants', 'bees']) {
    const env = JSON.stringify({ SECRET: `of ${id}` })
    await installation.json('tenants', 'create', '--id', id, '--hostname', `${id}.test`, '--env', env)
  }
  await installation.json('tenants', 'plan:create', '--id', 'small', '--env', '{"SECRET":"of small"}')
}

async function checkSecretTenants(installation: Installation): Promise<void> {
  const [tenants, plans] = await Promise.all([
    installation.json('tenants', 'list'),
    installation.json('tenants', 'plan:list'),
  ])
  for (const { id, env } of [...tenants, ...plans]) assert.equal(env.SECRET, `of ${id}`)
}
