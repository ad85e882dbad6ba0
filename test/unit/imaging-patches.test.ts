import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { ForgedAnswer, readAnswer } from '../../src/imaging/children/read-answer.ts'
import { type Imaging, startImaging } from '../../src/imaging/index.ts'
import { drawQuarters } from '../support/fixtures/imaging-pictures.ts'

let folder = ''
let imaging: Imaging
let located: Buffer
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'terrace-patches-'))
  imaging = startImaging({ children: 1 })
  const place = { GPSLatitudeRef: 'N', GPSLatitude: '52/1 30/1 0/1' }
  located = await drawQuarters(640, 480).jpeg().withExif({ IFD3: place }).toBuffer()
})
afterAll(async () => {
  await imaging[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const minute = { timeout: 60_000 }
const md5Of = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex')
const examine = (path: string, outputFolder: string) =>
  imaging.examine(path, { tenantKey: 'cats', outputFolder, policy: 'strip_location' })

describe('a location that is removed without a change of length', () => {
  test('is removed where the upload lies: no second file is written', minute, async () => {
    const output = join(folder, 'within')
    const path = join(output, 'upload')
    await mkdir(output)
    await writeFile(path, located)
    const { ino } = await stat(path)

    const { file } = await examine(path, output)
    const bytes = await readFile(path)
    assert.deepEqual([file.path, file.isUnchanged, file.sizeBytes], [path, false, located.length])
    assert.equal((await stat(path)).ino, ino)
    assert.deepEqual((await readdir(output)).sort(), ['medium.jpeg', 'thumb.jpeg', 'upload'])
    assert.equal(file.md5, md5Of(bytes))
    assert.notDeepEqual(bytes, located)
    assert.equal((await examine(await copyOf(bytes), join(folder, 'again'))).file.isUnchanged, true)
  })

  test('is removed from a copy if the file lies elsewhere', minute, async () => {
    const output = join(folder, 'without')
    await mkdir(output)
    const path = join(folder, 'elsewhere')
    await writeFile(path, located)

    const { file } = await examine(path, output)
    assert.equal(file.path, join(output, 'file.jpeg'))
    assert.deepEqual(await readFile(path), located)
    assert.equal(file.md5, md5Of(await readFile(file.path)))
    assert.notEqual(file.md5, md5Of(located))
  })
})

async function copyOf(bytes: Buffer): Promise<string> {
  await mkdir(join(folder, 'again'))
  await writeFile(join(folder, 'again', 'upload'), bytes)
  return join(folder, 'again', 'upload')
}

describe('changes that a decoder asks for', () => {
  const thumb = {
    path: 'job/thumb.jpeg',
    mime: 'image/jpeg',
    extension: 'jpeg',
    width: 1,
    height: 1,
    sizeBytes: 1,
    sha256: '0'.repeat(64),
  }
  const sizes = { width: 1, height: 1, frames: 1, orientation: 1, bits: 8, channels: 3 }
  const file = { path: 'job/0', isUnchanged: false, kind: 'jpeg', sizeBytes: 100 }
  const read = (changed: object) => {
    const outcome = { type: 'image', kind: 'jpeg', ...sizes, isAnimated: false, is360: false, thumb }
    const answer = { type: 'done', outcome: { ...outcome, file: { ...file, ...changed } } }
    const job = { task: 'examine', path: '', outputFolder: '', policy: 'keep', allowSvg: false } as const
    return readAnswer({ ...job, maxPixels: 1, maxFrames: 1 }, answer)
  }
  const two = Buffer.from('ab').toString('base64')

  test('are taken if they lie within the file', () => {
    const patches = [
      { at: 0, base64: two },
      { at: 98, base64: two },
    ]
    const examined = read({ patches })
    assert.deepEqual('file' in examined && examined.file.patches, patches)
  })

  const forged: Record<string, object> = {
    'behind its end': { patches: [{ at: 99, base64: two }] },
    'before its beginning': { patches: [{ at: -1, base64: two }] },
    'at half a byte': { patches: [{ at: 0.5, base64: two }] },
    'without bytes': { patches: [{ at: 0 }] },
    'that are none': { patches: [] },
    'that are no list': { patches: { at: 0, base64: two } },
    'that are too many': { patches: Array.from({ length: 257 }, () => ({ at: 0, base64: two })) },
    'of a file that is unchanged': { isUnchanged: true, patches: [{ at: 0, base64: two }] },
    'of a file with a sum of its own': { md5: '0'.repeat(32), patches: [{ at: 0, base64: two }] },
  }
  for (const [name, changed] of Object.entries(forged)) {
    test(`are not believed: ${name}`, () => {
      assert.throws(() => read(changed), ForgedAnswer)
    })
  }
})
