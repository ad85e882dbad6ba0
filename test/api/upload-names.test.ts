import assert from 'node:assert/strict'
import { afterAll, describe, test } from 'vitest'
import { startTestApp } from '../support/harness.ts'
import { startS3Stub } from '../support/stores/storage-s3-stub.ts'
import { picture, refusalOf, set, storedBytes, upload, uploaded } from '../support/uploads.ts'

const app = await startTestApp()
const cats = await app.tenant('cats')
const send = (sending = {}) => uploaded(app, cats, sending)
afterAll(() => app[Symbol.asyncDispose]())

describe('names:', () => {
  const cases: [sent: string, name: string | RegExp, title: string | undefined, extension?: string][] = [
    ['cat.jpg', 'cat', 'cat', 'jpg'],
    ['cat2.JPG', 'cat2', 'cat2', 'jpg'],
    ['photo.jpeg', 'photo', 'photo', 'jpeg'],
    ['UPPER.PNG', 'UPPER', 'UPPER', 'jpeg'],
    ['blob', 'blob', 'blob', 'jpeg'],
    ['a.php.jpg', 'a.php', 'a.php', 'jpg'],
    ['shell.php', 'shell', 'shell', 'jpeg'],
    ['../../../etc/passwd.jpg', 'passwd', 'passwd', 'jpg'],
    ['C:\\fakepath\\my photo.jpg', 'my-photo', 'my photo', 'jpg'],
    ['/home/me/Pictures/tree_of-life.png', 'tree_of-life', 'tree of life', 'jpeg'],
    ['na me \u00fc\u00f1\u00ed (1).jpg', 'na-me-uni-1', 'na me \u00fc\u00f1\u00ed (1)', 'jpg'],
    [
      '\u041f\u0440\u0438\u0432\u0435\u0442 \u043c\u0438\u0440.jpg',
      'Privet-mir',
      '\u041f\u0440\u0438\u0432\u0435\u0442 \u043c\u0438\u0440',
      'jpg',
    ],
    ['\u0395\u03bb\u03bb\u03ac\u03b4\u03b1.jpg', 'Ellada', '\u0395\u03bb\u03bb\u03ac\u03b4\u03b1', 'jpg'],
    [
      'Stra\u00dfe \u0141\u00f3d\u017a \u00c6ther.jpg',
      'Strasse-Lodz-Aether',
      'Stra\u00dfe \u0141\u00f3d\u017a \u00c6ther',
      'jpg',
    ],
    ['\u6f22\u5b57.jpg', /^[0-9a-f]{32}$/, '\u6f22\u5b57', 'jpg'],
    ['.png', /^[0-9a-f]{32}$/, undefined, 'jpeg'],
    ['....jpg', /^[0-9a-f]{32}$/, undefined, 'jpg'],
    ['dog.th.jpg', 'dog', undefined, 'jpg'],
    ['bird.md-.jpg', 'bird', undefined, 'jpg'],
    [`${'x'.repeat(197)}.thin.jpg`, 'x'.repeat(197), undefined, 'jpg'],
    [`${'y'.repeat(300)}.jpg`, 'y'.repeat(200), 'y'.repeat(100), 'jpg'],
    ['%2e%2e%2fx.jpg', '2e2e2fx', undefined, 'jpg'],
    ['a  \t b.jpg', 'a-b', 'a b', 'jpg'],
  ]
  for (const [sent, name, title, extension] of cases) {
    test(sent.slice(0, 40), async () => {
      const image = await send({ file: await picture({ format: 'jpeg' }), fileName: sent })
      if (typeof name === 'string') assert.equal(image.name, name)
      else assert.match(image.name, name)
      if (title !== undefined) assert.equal(image.title, title)
      if (extension) assert.equal(image.extension, extension)
      assert.deepEqual(
        [image.filename, image.image.filename],
        [`${image.name}.${image.extension}`, image.filename],
      )
      assert.ok(!/[/\\]/.test(image.original_filename), image.original_filename)
      assert.ok([...image.original_filename].length <= 255)
      assert.ok(await storedBytes(app, cats, image.url))
      assert.ok(await storedBytes(app, cats, image.thumb.url))
    })
  }

  test('a name of emoji is answered whole, and cut where a character ends', async () => {
    const sent = `${'\u{1f600}'.repeat(200)}.png`
    const { original_filename: original, title, title_truncated: short } = await send({ fileName: sent })
    assert.deepEqual([original, original.isWellFormed()], [sent, true])
    assert.deepEqual([title, short], ['\u{1f600}'.repeat(100), `${'\u{1f600}'.repeat(25)}...`])
  })

  test('a name that is taken gets an ending, in whatever case it is written', async () => {
    const names = new Set<string>()
    for (const fileName of ['same.png', 'SAME.png', 'same.jpg', 'Same.PNG']) {
      const image = await send({ fileName })
      assert.match(image.name, /^same(-[0-9a-f]{16})?$/i)
      names.add(image.name.toLowerCase())
      assert.ok(await storedBytes(app, cats, image.url))
    }
    assert.equal(names.size, 4)
  })

  test('base64 has no name, and gets a random one', async () => {
    const source = (await picture()).toString('base64')
    const image = await send({ form: { source } })
    assert.match(image.name, /^[0-9a-f]{12,32}$/)
    assert.deepEqual([image.original_filename, image.title], [`${image.name}.png`, image.name])
  })
})

test('a site names its files as its administrator says', async () => {
  const dogs = await app.tenant('dogs')
  const named = async (file_naming: string) => {
    await set(app, dogs, { file_naming })
    return uploaded(app, dogs, { fileName: 'my dog.png' })
  }
  assert.equal((await named('original')).name, 'my-dog')
  assert.match((await named('random')).name, /^[0-9a-f]{32}$/)
  assert.match((await named('mixed')).name, /^my-dog-?[0-9a-f]{16}$/)
  const byId = await named('id')
  assert.deepEqual([byId.name, byId.title], [byId.id_encoded, 'my dog'])
})

test('without folders by date everything stands in one', async () => {
  const dogs = await app.tenant('direct')
  await set(app, dogs, { storage_mode: 'direct' })
  const image = await uploaded(app, dogs, { fileName: 'dog.png' })
  assert.equal(image.storage_mode, 'direct')
  assert.equal(new URL(image.url).pathname, '/images/dog.png')
  assert.ok(await storedBytes(app, dogs, image.url))
})

test('on a bucket a file is reported at a URL, and a bucket that is away is reported as such', async () => {
  await using stub = await startS3Stub()
  await using away = await startTestApp({ environment: { SERVICE_STORAGE_URL: stub.url } })
  const birds = await away.tenant('birds')
  const image = await uploaded(away, birds)
  assert.deepEqual(image.file, { resource: { type: 'url' } })
  assert.equal(new URL(image.url).hostname, 'birds.test')
  assert.equal((await uploaded(app, cats)).file.resource.type, 'path')
  stub.setFault(() => ({ status: 403, code: 'AccessDenied' }))
  const refused = await upload(away, birds)
  assert.deepEqual(refusalOf(refused).slice(0, 2), [503, 900])
  assert.match(String(refused.headers['retry-after']), /^\d+$/)
})
