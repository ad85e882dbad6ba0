import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readFile as readText, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { backUp } from '../../src/maintenance/index.ts'
import {
  createAlbum,
  type Privacy,
  pageAccessOf,
  readFile,
  removeAlbum,
  removeUser,
} from '../../src/media/index.ts'
import { ask, browserHeaders, withoutPath } from '../support/delivered.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { backupFolder, serveAt } from '../support/stores/backups.ts'
import { freshInstallation, runHere } from '../support/tool.ts'
import { onSiteOf, picture, set, type TestTenant, upload, uploaded, userWithKey } from '../support/uploads.ts'

const privacies = ['public', 'link', 'password', 'private'] as const
const hiding = (privacy: Privacy) => privacy === 'password' || privacy === 'private'

/** An album of each privacy with a file in it. */
async function fileOfEach(
  app: TestApp,
  tenant: TestTenant,
  { username, key }: { username: string; key: string },
) {
  const made = []
  for (const [seed, privacy] of privacies.entries()) {
    const password = privacy === 'password' ? { password: 'nine lives' } : {}
    const input = { username, title: privacy, privacy, ...password }
    const { id } = await onSiteOf(app, tenant, (site) => createAlbum(site, input))
    const file = await picture({ seed })
    const image = await uploaded(app, tenant, { key, file, fields: { album_id: id, title: privacy } })
    made.push({ privacy, albumId: id, image, file })
  }
  return made
}

const oembedOf = (viewer: string) => `${new URL(viewer).origin}/oembed?url=${encodeURIComponent(viewer)}`

/** The page, the short link and oEmbed are there, or are as if there were no file. */
async function assertPages(app: TestApp, image: any, isOpen: boolean, why: string): Promise<void> {
  const none = `${image.url_short.slice(0, -12)}AAAAAAAAAAAA`
  const addresses = [
    [image.url_viewer, none],
    [image.url_short, none],
    [oembedOf(image.url_viewer), oembedOf(none)],
  ] as const
  for (const [url, missing] of addresses) {
    for (const headers of [browserHeaders, {}]) {
      const seen = await ask(app, url, headers)
      assert.equal(seen.status, isOpen ? 200 : 404, `${why}: ${url}`)
      if (!isOpen) assert.equal(withoutPath(seen.text), withoutPath((await ask(app, missing, headers)).text))
    }
  }
  // The addresses of the bytes stay open, as they were in the album.
  for (const url of [image.url, image.thumb.url]) assert.equal((await ask(app, url)).status, 200, why)
}

onEachStore('a file', (store) => {
  test('of a deleted private album, or of one with a password, stays private', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const bob = await userWithKey(app, cats, 'bob')
    const eve = await userWithKey(app, cats, 'eve')
    for (const { privacy, albumId, image } of await fileOfEach(app, cats, {
      username: 'bob',
      key: bob.key,
    })) {
      const removed = await onSiteOf(app, cats, (site) => removeAlbum(site, albumId))
      assert.equal(removed.files, 1)
      await assertPages(app, image, !hiding(privacy), privacy)
      assert.equal((await upload(app, cats, { fields: { album_id: albumId } })).status, 403)
      if (!hiding(privacy)) continue
      await onSiteOf(app, cats, async (site) => {
        const file = await readFile(site, image.id_encoded)
        const see = (userId: string, role: 'admin' | 'manager' | 'user') =>
          pageAccessOf(site, { kind: 'user', userId, role }, file)
        const unlisted = { isListed: false, album: undefined, lock: undefined }
        assert.deepEqual(await see(bob.userId, 'user'), unlisted)
        // As the API shows it to them.
        assert.deepEqual(await see('another', 'admin'), unlisted)
        assert.deepEqual(await see('another', 'manager'), unlisted)
        await assert.rejects(see(eve.userId, 'user'))
        await assert.rejects(pageAccessOf(site, { kind: 'guest' }, file))
      })
      // The delete link leads back to nothing that is not there, and the owner of the link may still delete.
      assert.match((await ask(app, image.delete_url, browserHeaders)).text, /href="\/">Keep it/)
      assert.equal((await ask(app, image.delete_url, {}, 'DELETE')).status, 200)
    }
  })

  test('of a deleted user stays private if it was in a private album or in one with a password', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const bob = await userWithKey(app, cats, 'bob')
    const files = await fileOfEach(app, cats, { username: 'bob', key: bob.key })
    const removed = await onSiteOf(app, cats, (site) => removeUser(site, { username: 'bob', files: 'keep' }))
    assert.deepEqual([removed.filesKept, removed.albumsDeleted], [4, 4])
    for (const { privacy, image } of files) {
      await assertPages(app, image, !hiding(privacy), privacy)
      if (!hiding(privacy)) continue
      await onSiteOf(app, cats, async (site) => {
        const file = await readFile(site, image.id_encoded)
        assert.equal(file.userId, undefined)
        await pageAccessOf(site, { kind: 'user', userId: 'somebody', role: 'admin' }, file)
        await assert.rejects(pageAccessOf(site, { kind: 'user', userId: bob.userId, role: 'user' }, file))
      })
    }
  })

  test('that is private is no duplicate of what a guest sends, and the tool shows that it is private', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const bob = await userWithKey(app, cats, 'bob')
    const files = await fileOfEach(app, cats, { username: 'bob', key: bob.key })
    await onSiteOf(app, cats, (site) => removeUser(site, { username: 'bob', files: 'keep' }))
    await set(app, cats, { duplicates: 'existing', public_key: 'a-key-for-every-guest' })
    for (const { privacy, image, file } of files) {
      const { id_encoded } = await uploaded(app, cats, { key: 'a-key-for-every-guest', file })
      assert.equal(id_encoded === image.id_encoded, !hiding(privacy), privacy)
    }
    const run = (...words: string[]) => runHere(['site', '--tenant', 'cats', ...words], app.environment)
    const listed = JSON.parse((await run('file:list', '--json')).out)
    for (const { privacy, image } of files) {
      const { is_private } = listed.find(({ id }: any) => id === image.id_encoded)
      assert.equal(is_private, hiding(privacy))
      const shown = await run('file:show', '--id', image.id_encoded)
      assert.match(shown.out, hiding(privacy) ? /^private\s+yes$/m : /^private\s+no$/m)
    }
  })

  test('keeps its privacy in a backup, and a backup from before there was any can be restored', async () => {
    await using folder = await backupFolder()
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const files = await fileOfEach(app, cats, { username: 'ada', key: cats.apiKey })
    for (const { albumId } of files) await onSiteOf(app, cats, (site) => removeAlbum(site, albumId))
    for (const isOlder of [false, true]) {
      const backup = join(folder.path, String(isOlder))
      await backUp(app.app, { to: backup, withKeys: true })
      if (isOlder) await makeOlder(backup)
      await using installation = await freshInstallation(store)
      await installation.json('restore', '--from', backup)
      await using restored = await serveAt(installation)
      for (const { privacy, image } of files)
        await assertPages(restored, image, isOlder || !hiding(privacy), `${privacy} ${isOlder}`)
    }
  })
})

/** As it would have been written before files had a privacy of their own. */
async function makeOlder(backup: string): Promise<void> {
  const manifestPath = join(backup, 'manifest.json')
  const { manifest } = JSON.parse(await readText(manifestPath, 'utf8'))
  manifest.tables = manifest.tables.filter((step: string) => step !== 'site/005-private-files')
  for (const part of manifest.parts.filter(({ path }: any) => path.endsWith('/rows.jsonl'))) {
    const text = (await readText(join(backup, part.path), 'utf8')).replaceAll(/,"isPrivate":[01]/g, '')
    await writeFile(join(backup, part.path), text)
    part.sizeBytes = Buffer.byteLength(text)
    part.sha256 = hash('sha256', text)
  }
  const sha256 = hash('sha256', JSON.stringify(manifest))
  await writeFile(manifestPath, JSON.stringify({ sha256, manifest }))
}
