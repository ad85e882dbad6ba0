import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { watch } from 'node:fs'
import { copyFile, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { onEachStore } from '../support/harness.ts'
import { freshPlace, type Place, ranOf, runHere } from '../support/tool.ts'

const ada = ['--username', 'ada', '--email', 'ada@example.com', '--password', 'a long password']

onEachStore('the tool', (store) => {
  test('prepares an installation, lists what it created, and does it once', async () => {
    await using place = await freshPlace(store)
    const first = await place.run('tenants', 'init')
    assert.equal(first.code, 0)
    assert.equal(first.out.match(/\tcreated$/gm)?.length, 4)
    assert.match(first.err, /prepared/)
    for (const name of ['request-secret', 'encryption-keys']) {
      const { mode } = await stat(join(place.dataDir, 'secrets', name))
      assert.equal(mode & 0o777, 0o600)
    }
    const again = await place.run('tenants', 'init')
    assert.equal(again.code, 0)
    assert.equal(again.out.match(/\talready there$/gm)?.length, 4)
    assert.match(again.err, /already there/)
    assert.deepEqual(await place.json('tenants', 'init'), { data_dir: place.dataDir, made: [] })
  })

  test('creates, lists, verifies and deletes keys', async () => {
    await using place = await freshPlace(store)
    assert.match((await place.run('tenants', 'api:key:list')).err, /no keys yet.*tenants api:key:create/)
    const create = ['tenants', 'api:key:create']
    const key = await place.json(...create, '--name', 'ci', '--expires', '2090-12-31 23:59:59')
    assert.deepEqual(Object.keys(key), ['id', 'name', 'key', 'created_at', 'expires_at'])
    assert.equal(key.id, key.key.split('_')[1])
    assert.match(key.key, /^trc_\d+_[A-Za-z0-9]{43,}$/)
    assert.deepEqual([key.name, key.expires_at], ['ci', '2090-12-31 23:59:59'])
    const { key: secret, ...record } = key
    assert.deepEqual(await place.json('tenants', 'api:key:list'), [record])
    assert.deepEqual(await place.json('tenants', 'api:key:verify', '--key', secret), { key: record })

    const refusals: [string[], string][] = [
      [[...create, '--name', 'ci'], 'already a key named "ci"'],
      [[...create, '--expires', '2001-01-01 00:00:00'], 'must lie in the future'],
      [
        ['tenants', 'api:key:verify', '--key', `${secret.slice(0, -1)}!`],
        'The API key is not valid: it is unknown',
      ],
      [['tenants', 'api:key:delete', '--id', '999'], 'no key "999"'],
      [['tenants', 'api:key:delete', '--name', 'none'], 'no key "none"'],
    ]
    for (const [words, says] of refusals) {
      const { code, out, err } = await place.run(...words)
      assert.deepEqual([code, out], [1, ''])
      assert.ok(err.includes(says), err)
    }
    const unnamed = await place.json(...create)
    assert.deepEqual([unnamed.name, unnamed.expires_at], [null, null])
    const byNumber = ['tenants', 'api:key:delete', '--id', String(unnamed.id)]
    assert.deepEqual(await place.json(...byNumber), { id: unnamed.id, deleted: true })
    const byName = ['tenants', 'api:key:delete', '--name', 'ci']
    assert.deepEqual(await place.json(...byName), { id: key.id, deleted: true })
    const gone = await place.run('tenants', 'api:key:verify', '--key', secret)
    assert.deepEqual(
      [gone.code, gone.err],
      [1, 'The API key is not valid: it is unknown, deleted or expired.\n'],
    )
  })

  test('shows the signing secret, from the file or the environment', async () => {
    await using place = await freshPlace(store)
    const { secret } = await place.json('tenants', 'secret:show')
    assert.equal((await place.run('tenants', 'secret:show')).out, `${secret}\n`)
    assert.equal((await readFile(join(place.dataDir, 'secrets/request-secret'), 'utf8')).trim(), secret)
    place.settings.SERVICE_TENANTS_API_REQUEST_SECRET = 'given by the environment'
    assert.deepEqual(await place.json('tenants', 'secret:show'), { secret: 'given by the environment' })
  })

  test('counts and migrates all tenants, or one', async () => {
    await using place = await freshPlace(store)
    for (const id of ['ants', 'bees']) {
      await place.json('tenants', 'create', '--id', id, '--hostname', `${id}.test`)
    }
    await place.json('tenants', 'install', '--id', 'bees', ...ada)
    assert.deepEqual(await place.json('tenants', 'stats:refresh'), { refreshed: 2 })
    assert.deepEqual(await place.json('tenants', 'stats:refresh', '--id', 'bees'), { refreshed: 1 })
    assert.deepEqual(await place.json('tenants', 'database:migrate'), { migrated: 1 })
    assert.deepEqual(await place.json('tenants', 'database:migrate', '--id', 'ants'), { migrated: 0 })
    assert.equal((await place.json('tenants', 'get', '--id', 'bees')).stats.users, 1)
    for (const command of ['stats:refresh', 'database:migrate']) {
      const { code, err } = await place.run('tenants', command, '--id', 'nobody')
      assert.deepEqual([code, err], [1, 'Tenant not found\n'])
    }
  })

  test('rotates the encryption key, also after an interrupted rotation', async () => {
    await using place = await freshPlace(store)
    await makeSecretTenants(place)
    const before = await keysOf(place)
    assert.equal(before.length, 1)

    // Killed as soon as the new key is in the file.
    const { promise: isWritten, resolve } = Promise.withResolvers<void>()
    const watcher = watch(join(place.dataDir, 'secrets'), () => resolve())
    const child = place.start(['tenants', 'env:rotate'])
    await isWritten
    child.kill('SIGKILL')
    await ranOf(child)
    watcher.close()
    await checkSecretTenants(place)

    await place.json('tenants', 'env:rotate')
    const after = await keysOf(place)
    assert.equal(after.length, 1)
    assert.notEqual(after[0], before[0])
    await checkSecretTenants(place)

    // Stopped between adding the key and using it: that key is used, not another one.
    const added = randomBytes(32).toString('base64')
    await writeFile(keyFileOf(place), `${added}\n${after[0]}\n`)
    await checkSecretTenants(place)
    assert.deepEqual(await place.json('tenants', 'env:rotate'), { resealed: 3, retired: true })
    assert.deepEqual(await keysOf(place), [added])
    await checkSecretTenants(place)

    // Two at once end in one key that opens everything.
    const both = await Promise.all([place.bin('tenants', 'env:rotate'), place.bin('tenants', 'env:rotate')])
    assert.deepEqual(
      both.map(({ code }) => code),
      [0, 0],
    )
    assert.equal((await keysOf(place)).length, 1)
    await checkSecretTenants(place)
  })

  test('encrypts with the first of the given keys, and prints the next step', async () => {
    const [oldKey, newKey] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')]
    await using place = await freshPlace(store, { SERVICE_ENCRYPTION_KEY: oldKey })
    await makeSecretTenants(place)
    place.settings.SERVICE_ENCRYPTION_KEY = newKey
    const { code, err } = await place.run('tenants', 'list')
    assert.equal(code, 1)
    assert.match(err, /SERVICE_ENCRYPTION_KEY: this installation was set up with another one/)

    place.settings.SERVICE_ENCRYPTION_KEY = `${newKey},${oldKey}`
    const rotated = await place.run('tenants', 'env:rotate')
    assert.equal(rotated.code, 0)
    assert.match(rotated.out, /^3 values are encrypted with the first key of SERVICE_ENCRYPTION_KEY/)
    assert.match(rotated.err, /shorten SERVICE_ENCRYPTION_KEY to its first key/)
    assert.deepEqual(await place.json('tenants', 'env:rotate'), { resealed: 0, retired: false })
    place.settings.SERVICE_ENCRYPTION_KEY = newKey
    await checkSecretTenants(place)
  })
})

test('a data folder can go back to the secret in its file after another one was given', async () => {
  await using place = await freshPlace()
  const { secret } = await place.json('tenants', 'secret:show')
  const given = { ...place.settings, SERVICE_TENANTS_API_REQUEST_SECRET: 'a secret that somebody gave' }
  const { code, out } = await runHere(['tenants', 'secret:show', '--json'], given)
  assert.deepEqual([code, JSON.parse(out).secret], [0, 'a secret that somebody gave'])
  assert.deepEqual(await place.json('tenants', 'secret:show'), { secret })
})

test('a site that cannot be migrated is named, and the others are migrated', async () => {
  await using place = await freshPlace()
  for (const id of ['ants', 'bees', 'cats']) {
    await place.json('tenants', 'create', '--id', id, '--hostname', `${id}.test`)
    await place.json('tenants', 'install', '--id', id, ...ada)
  }
  const file = join(place.dataDir, 'sites/2/site.db')
  await copyFile(file, `${file}.kept`)
  await writeFile(file, 'no database at all, and longer than the header of one'.repeat(40))
  for (const command of ['database:migrate', 'stats:refresh']) {
    const { code, out, err } = await place.run('tenants', command)
    assert.deepEqual([code, out], [1, ''])
    assert.match(err, /^1 of 3 .*\n {2}bees: .*\n$/)
  }
  await copyFile(`${file}.kept`, file)
  assert.deepEqual(await place.json('tenants', 'database:migrate'), { migrated: 3 })
})

const keyFileOf = (place: Place) => join(place.dataDir, 'secrets/encryption-keys')

const keysOf = async (place: Place) => (await readFile(keyFileOf(place), 'utf8')).trim().split('\n')

async function makeSecretTenants(place: Place): Promise<void> {
  for (const id of ['ants', 'bees']) {
    const env = JSON.stringify({ SECRET: `of ${id}` })
    await place.json('tenants', 'create', '--id', id, '--hostname', `${id}.test`, '--env', env)
  }
  await place.json('tenants', 'plan:create', '--id', 'small', '--env', '{"SECRET":"of small"}')
}

async function checkSecretTenants(place: Place): Promise<void> {
  const [tenants, plans] = await Promise.all([
    place.json('tenants', 'list'),
    place.json('tenants', 'plan:list'),
  ])
  for (const { id, env } of [...tenants, ...plans]) assert.equal(env.SECRET, `of ${id}`)
}
