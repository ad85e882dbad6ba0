import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { Refusal } from '../../../src/lib/refusal.ts'
import { type ByteRange, prefixedStorage, type Storage } from '../../../src/storage/index.ts'

/** A storage for one test, and a function that creates temporary files for it. */
export interface StorageUnderTest extends AsyncDisposable {
  storage: Storage
  tempFile(bytes: Buffer | string): Promise<string>
}

interface ContractOptions {
  propertyRuns: number
}

/** What every storage does alike. */
export function storageContract(
  name: string,
  open: () => Promise<StorageUnderTest>,
  { propertyRuns }: ContractOptions,
): void {
  describe(name, () => {
    test.each([0, 1, 65_536, 65_537, 3_000_000])(
      'a file of %i bytes is read back as it was put',
      async (size) => {
        await using backend = await open()
        const { storage } = backend
        const bytes = randomBytes(size)
        const path = await backend.tempFile(bytes)
        await storage.put([{ key: 'images/2026/11/15/cat.jpg', path }])

        const stored = await storage.read('images/2026/11/15/cat.jpg')
        assert.equal(stored?.sizeBytes, size)
        assert.ok(bytes.equals(await contentOf(storage, 'images/2026/11/15/cat.jpg')))
        assert.ok(Math.abs((stored?.modifiedAt.getTime() ?? 0) - Date.now()) < 60_000)
        const { sizeBytes, modifiedAt } = (await storage.stat('images/2026/11/15/cat.jpg')) ?? {}
        assert.deepEqual([sizeBytes, modifiedAt], [size, stored?.modifiedAt])
        assert.equal(existsSync(path), false, 'the temporary name is gone')
        await discard(stored?.content)
      },
    )

    test('a batch is stored as a whole', async () => {
      await using backend = await open()
      const names = ['a.jpg', 'a.md.jpg', 'a.th.jpg']
      await put(backend, Object.fromEntries(names.map((each) => [`images/${each}`, each])))
      for (const each of names) assert.equal(String(await contentOf(backend.storage, `images/${each}`)), each)
    })

    test('a key that is taken refuses its whole batch and stays as it is', async () => {
      await using backend = await open()
      const { storage } = backend
      await put(backend, { 'images/b.jpg': 'first' })
      const paths = await Promise.all(['one', 'two', 'three'].map((text) => backend.tempFile(text)))
      const batch = ['a', 'b', 'c'].map((letter, index) => ({
        key: `images/${letter}.jpg`,
        path: paths[index] ?? '',
      }))
      await refuses(storage.put(batch), 'conflict', 'key-taken')

      assert.equal(String(await contentOf(storage, 'images/b.jpg')), 'first')
      assert.deepEqual(await keysOf(storage), ['images/b.jpg'])

      const elsewhere = batch.map(({ key, path }) => ({ key: `other/${key}`, path }))
      await storage.put(elsewhere)
      assert.equal(String(await contentOf(storage, 'other/images/b.jpg')), 'two')
    })

    test('a key twice in one batch is refused', async () => {
      await using backend = await open()
      const { storage } = backend
      const [one, two] = [await backend.tempFile('one'), await backend.tempFile('two')]
      const batch = [one, two].map((path) => ({ key: 'a/a.jpg', path }))
      await refuses(storage.put(batch), 'conflict', 'key-taken')
      assert.deepEqual(await keysOf(storage), [])
    })

    test('of puts of one key at once exactly one wins, also when the bytes are the same', async () => {
      await using backend = await open()
      const { storage } = backend
      for (let round = 0; round < 15; round++) {
        const texts = round % 2 === 0 ? ['one', 'two', 'six', 'ten'] : ['same', 'same', 'same', 'same']
        const paths = await Promise.all(texts.map((text) => backend.tempFile(text)))
        const key = `race/${round}/cat.jpg`
        const outcomes = await Promise.allSettled(paths.map((path) => storage.put([{ key, path }])))
        const winners = texts.filter((_, index) => outcomes[index]?.status === 'fulfilled')
        assert.equal(winners.length, 1)
        assert.equal(String(await contentOf(storage, key)), winners[0])
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected') assert.equal((outcome.reason as Refusal).code, 'key-taken')
        }
      }
    })

    test('a range gives just its bytes, and the size of the whole', async () => {
      await using backend = await open()
      const { storage } = backend
      const bytes = randomBytes(200_000)
      await storage.put([{ key: 'a/film.mp4', path: await backend.tempFile(bytes) }])
      const ranges: ByteRange[] = [
        { start: 0, end: 0 },
        { start: 5, end: 9 },
        { start: 10, end: 150_000 },
        { start: 199_999, end: 199_999 },
        { start: 0, end: 199_999 },
        { start: 199_000, end: 5_000_000 },
      ]
      for (const range of ranges) {
        const stored = await storage.read('a/film.mp4', range)
        assert.equal(stored?.sizeBytes, 200_000)
        const content = await bytesOf(stored?.content)
        assert.ok(content.equals(bytes.subarray(range.start, range.end + 1)), JSON.stringify(range))
      }
      for (const range of [
        { start: 200_000, end: 200_001 },
        { start: 7, end: 6 },
      ]) {
        await refuses(storage.read('a/film.mp4', range), 'invalid', 'range-outside')
      }
    })

    test('what is not there is not there', async () => {
      await using backend = await open()
      const { storage } = backend
      await put(backend, { 'images/cat.jpg': 'cat' })
      for (const key of ['images/dog.jpg', 'images', 'images/cat.jpg/a', 'other/cat.jpg']) {
        assert.equal(await storage.read(key), undefined)
        assert.equal(await storage.read(key, { start: 0, end: 1 }), undefined)
        assert.equal(await storage.stat(key), undefined)
      }
      assert.deepEqual(await storage.list('nothing/here', undefined, 10), [])
      await storage.removeAll('nothing/here')
    })

    test('what is removed is gone, and removing it again is no fault', async () => {
      await using backend = await open()
      const { storage } = backend
      await put(backend, { 'a/1.jpg': '1', 'a/2.jpg': '2', 'b/3.jpg': '3' })
      await storage.remove(['a/1.jpg', 'b/3.jpg', 'c/4.jpg'])
      await storage.remove(['a/1.jpg', 'b/3.jpg', 'c/4.jpg'])
      await storage.remove([])
      assert.deepEqual(await keysOf(storage), ['a/2.jpg'])
      await put(backend, { 'a/1.jpg': 'again' })
      assert.equal(String(await contentOf(storage, 'a/1.jpg')), 'again')
    })

    test('a list is in the order of bytes, and can be read page by page from any folder', async () => {
      await using backend = await open()
      const { storage } = backend
      const keys = [
        'a.jpg',
        'a/b.jpg',
        'a0.jpg',
        'a-/z.jpg',
        'B/x.jpg',
        'é.jpg',
        '\uff5e.jpg',
        '😀.jpg',
        'a/b/c.jpg',
      ]
      await put(backend, Object.fromEntries(keys.map((key) => [`list/${key}`, key])))
      const expected = keys.map((key) => `list/${key}`).sort(inBytes)
      for (const limit of [1, 2, 4, 100]) assert.deepEqual(await keysOf(storage, 'list', limit), expected)
      assert.deepEqual(await keysOf(storage, 'list/a', 1), ['list/a/b.jpg', 'list/a/b/c.jpg'])
      const [entry] = await storage.list('list/B', undefined, 1)
      assert.equal(entry?.sizeBytes, 7)
      assert.ok(Math.abs((entry?.modifiedAt.getTime() ?? 0) - Date.now()) < 60_000)
      assert.deepEqual(
        await storage.list('list', 'list/zzz😀', 10),
        await storage.list('list', 'list/zzz', 10),
      )
    })

    test('a folder is removed as a whole, and no other one', async () => {
      await using backend = await open()
      const { storage } = backend
      await put(backend, { 'a/1.jpg': '1', 'a/b/2.jpg': '2', 'ab/3.jpg': '3', 'a.jpg': '4' })
      await storage.removeAll('a')
      assert.deepEqual(await keysOf(storage), ['a.jpg', 'ab/3.jpg'])
      await put(backend, { 'a/b/2.jpg': 'again' })
      await storage.removeAll('')
      assert.deepEqual(await keysOf(storage), [])
      await put(backend, { 'a/b/2.jpg': 'once more' })
      assert.equal(String(await contentOf(storage, 'a/b/2.jpg')), 'once more')
    })

    test('one folder seen as a storage of its own reaches nothing else', async () => {
      await using backend = await open()
      const [cats, dogs] = ['sites/cats', 'sites/dogs'].map((folder) =>
        prefixedStorage(backend.storage, folder),
      )
      assert.ok(cats && dogs)
      await put({ ...backend, storage: cats }, { 'images/a.jpg': 'cat', 'images/b.jpg': 'cat' })
      await put({ ...backend, storage: dogs }, { 'images/a.jpg': 'dog' })
      assert.equal(String(await contentOf(cats, 'images/a.jpg')), 'cat')
      assert.deepEqual(await keysOf(cats, '', 1), ['images/a.jpg', 'images/b.jpg'])
      await refuses(cats.read('../dogs/images/a.jpg'), 'invalid', 'bad-key')
      await cats.removeAll('')
      assert.deepEqual(await keysOf(backend.storage), ['sites/dogs/images/a.jpg'])
    })

    test('keys that could lead elsewhere are refused by everything', async () => {
      await using backend = await open()
      const { storage } = backend
      const path = await backend.tempFile('x')
      const bad = [
        '',
        '/',
        '/etc/passwd',
        '..',
        '../a',
        'a/../b',
        'a/..',
        './a',
        'a/./b',
        'a//b',
        'a/',
        '.hidden',
        'a/.b',
        'a\\b',
        '..\\a',
        'a\0b',
        'a\nb',
        'a/\u007f',
        '\ud800',
        `a/${'x'.repeat(256)}`,
        'x/'.repeat(500).concat('x'),
      ]
      for (const key of bad) {
        await refuses(storage.put([{ key, path }]), 'invalid', 'bad-key')
        await refuses(storage.read(key), 'invalid', 'bad-key')
        await refuses(storage.stat(key), 'invalid', 'bad-key')
        await refuses(storage.remove([key]), 'invalid', 'bad-key')
        if (key === '') continue
        await refuses(storage.list(key, undefined, 1), 'invalid', 'bad-key')
        await refuses(storage.removeAll(key), 'invalid', 'bad-key')
      }
      assert.deepEqual(await keysOf(storage), [])
      await storage.put([{ key: 'a/%2e%2e%2fb c+d?e#f&g;h=é', path }])
      assert.deepEqual(await keysOf(storage), ['a/%2e%2e%2fb c+d?e#f&g;h=é'])
    })

    test('it says that it is well', async () => {
      await using backend = await open()
      await backend.storage.check()
      await backend.storage.removeUnfinished('', new Date())
    })

    test('any sequence of calls does what a map would do', async () => {
      const key = fc.constantFrom('a/1', 'a/2', 'a/b/1', 'c/1', 'c/d/e/1')
      const step = fc.oneof(
        fc.record({
          act: fc.constant('put' as const),
          keys: fc.uniqueArray(key, { minLength: 1, maxLength: 3 }),
        }),
        fc.record({ act: fc.constant('remove' as const), keys: fc.array(key, { maxLength: 3 }) }),
        fc.record({ act: fc.constant('removeAll' as const), keys: fc.constantFrom(['a'], ['c/d'], ['c']) }),
      )
      await using backend = await open()
      let run = 0
      const property = fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const storage = prefixedStorage(backend.storage, `run-${run++}`)
        const model = new Map<string, string>()
        for (const [number, { act, keys }] of steps.entries()) {
          if (act === 'put') {
            const isFree = keys.every((each) => !model.has(each))
            const done = put(
              { ...backend, storage },
              Object.fromEntries(keys.map((each) => [each, `${number}`])),
            )
            if (isFree) await done
            else await refuses(done, 'conflict', 'key-taken')
            if (isFree) for (const each of keys) model.set(each, `${number}`)
          } else if (act === 'remove') {
            await storage.remove(keys)
            for (const each of keys) model.delete(each)
          } else {
            await storage.removeAll(keys[0] ?? '')
            for (const each of [...model.keys()]) if (each.startsWith(`${keys[0]}/`)) model.delete(each)
          }
        }
        assert.deepEqual(await keysOf(storage, '', 2), [...model.keys()].sort(inBytes))
        for (const [each, text] of model) assert.equal(String(await contentOf(storage, each)), text)
      })
      await fc.assert(property, { numRuns: propertyRuns })
    })
  })
}

export async function put(
  { storage, tempFile }: StorageUnderTest,
  files: Record<string, string>,
): Promise<void> {
  const batch = Object.entries(files).map(async ([key, text]) => ({ key, path: await tempFile(text) }))
  await storage.put(await Promise.all(batch))
}

export async function contentOf(storage: Storage, key: string): Promise<Buffer> {
  return bytesOf((await storage.read(key))?.content)
}

export async function keysOf(storage: Storage, folder = '', limit = 1_000): Promise<string[]> {
  const keys: string[] = []
  for (;;) {
    const page = await storage.list(folder, keys.at(-1), limit)
    keys.push(...page.map(({ key }) => key))
    if (page.length < limit) return keys
  }
}

export async function refuses(work: Promise<unknown>, kind: string, code: string): Promise<Refusal> {
  const error = await work.then(
    () => assert.fail(`This should have been refused as ${code}.`),
    (reason: unknown) => reason,
  )
  if (!(error instanceof Refusal)) throw error
  assert.deepEqual([error.kind, error.code], [kind, code])
  return error
}

type Content = NonNullable<Awaited<ReturnType<Storage['read']>>>['content'] | undefined

async function bytesOf(content: Content): Promise<Buffer> {
  assert.ok(content !== undefined, 'There is no such file.')
  return Buffer.isBuffer(content) ? content : buffer(content)
}

async function discard(content: Content): Promise<void> {
  if (content !== undefined && !Buffer.isBuffer(content)) content.destroy()
}

function inBytes(one: string, two: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(two))
}
