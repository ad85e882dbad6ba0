import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { Child } from '../../src/imaging/children/child.ts'
import { makeWorkFolder, stageJob } from '../../src/imaging/children/work-folder.ts'
import { hostileDecoder, orderFor } from '../support/faults/decoder-orders.ts'
import { escapes, type Surroundings } from '../support/faults/sandbox-escapes.ts'
import { drawQuarters, startTestImaging } from '../support/fixtures/imaging-pictures.ts'

const minutes = { timeout: 300_000 }
const folder = mkdtempSync(join(tmpdir(), 'terrace-around-'))
const listener = createServer()
const around: Surroundings = { serverPid: process.pid, port: 0, folder }

beforeAll(async () => {
  chmodSync(folder, 0o777)
  for (const name of ['secret', 'extra']) writeFileSync(join(folder, name), 'canary')
  chmodSync(join(folder, 'secret'), 0o666)
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  around.port = (listener.address() as AddressInfo).port
})
afterAll(() => {
  listener.close()
  rmSync(folder, { recursive: true })
})

/** What became of each way out, as the decoder itself tells. */
function triedIn(error: unknown): Record<string, string> {
  const [, text = ''] = /TRIED (.*) TRIED/.exec(String((error as Error).cause)) ?? []
  assert.notEqual(text, '', String((error as Error).cause ?? error))
  return JSON.parse(text)
}

const it = startTestImaging({ worker: hostileDecoder })
afterAll(() => it[Symbol.asyncDispose]())
const { missing, ownId, prefix } = await it.imaging.confinement()
if (missing.length > 0) console.log(`This machine refuses layers of the sandbox: ${missing.join(', ')}.`)

describe.skipIf(missing.includes('files') || missing.includes('calls'))(
  'a decoder that was taken over',
  () => {
    test('finds every way out closed', minutes, async () => {
      const before = readdirSync(folder).sort()
      const tried = triedIn(
        await it.examine(orderFor('try', around)).then(
          () => assert.fail('it was believed'),
          (error) => error,
        ),
      )
      assert.deepEqual(Object.keys(tried), Object.keys(escapes))
      const open = Object.entries(tried).filter(([, outcome]) => outcome === 'open')
      assert.deepEqual(open, [])
      assert.deepEqual(readdirSync(folder).sort(), before)
      assert.equal(readFileSync(join(folder, 'secret'), 'utf8'), 'canary')
    })

    test('has no privileges, and an account of its own where the server may give one', minutes, async () => {
      await it.examine(await drawQuarters(64, 48).png().toBuffer())
      const status = readFileSync(`/proc/${it.imaging.pids[0]}/status`, 'utf8')
      for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb'])
        assert.match(status, new RegExp(`${set}:\\s+0+\n`))
      assert.match(status, /NoNewPrivs:\s+1/)
      assert.match(status, /Seccomp:\s+2/)
      const id = ownId ?? process.getuid?.()
      assert.match(status, new RegExp(`Uid:\\s+${id}\\s+${id}\\s+${id}\\s+${id}`))
      if (process.getuid?.() === 0) assert.notEqual(ownId, undefined, prefix.join(' '))
    })
  },
)

test.runIf(process.getuid?.() === 0 && missing.length === 0)(
  'a server without privileges gets the whole sandbox too',
  minutes,
  async () => {
    const account = ['--reuid=10001', '--regid=10001', '--clear-groups', '--no-new-privs']
    const program = [
      process.execPath,
      fileURLToPath(new URL('../support/faults/print-missing-layers.ts', import.meta.url)),
    ]
    const words = [...account, '--bounding-set=-all', '--inh-caps=-all', '--', ...program]
    const { stdout } = await promisify(execFile)('setpriv', words, { env: { PATH: process.env.PATH } })
    assert.deepEqual(JSON.parse(stdout), [])
  },
)

/** Shows that the ways out exist: without the sandbox they are open. */
test.runIf(process.getuid?.() === 0)('without the sandbox the same decoder gets out', minutes, async () => {
  const root = mkdtempSync(join(tmpdir(), 'terrace-open-'))
  const [work, outputFolder] = [await makeWorkFolder(root, undefined), join(root, 'output')]
  mkdirSync(outputFolder)
  writeFileSync(join(outputFolder, 'upload'), orderFor('try', around))
  const confinement = { prefix: [], missing: [], ownId: undefined, hasNetwork: true, hasMemoryLimit: false }
  const limits = { maxSeconds: 10, maxWallSeconds: 60, maxMemoryBytes: 2e9 }
  const environment = { NODE_COMPILE_CACHE: join(root, 'compiled') }
  mkdirSync(join(root, 'compiled', 'v'), { recursive: true })
  const child = new Child({ confinement, folder: work, worker: hostileDecoder, environment, ...limits })
  try {
    await child.ready
    const job = { task: 'examine', policy: 'keep', allowSvg: false, maxPixels: 1e6, maxFrames: 1 } as const
    const staged = await stageJob(work, { ...job, path: join(outputFolder, 'upload'), outputFolder })
    const tried = triedIn(
      await child.run(staged.job).then(
        () => assert.fail('it was believed'),
        (error) => error,
      ),
    )
    const closed = Object.entries(tried).filter(([, outcome]) => outcome !== 'open')
    assert.deepEqual(closed, [])
  } finally {
    await child.kill()
    rmSync(root, { recursive: true })
    rmSync(new URL('../../src/planted.ts', import.meta.url), { force: true })
    writeFileSync(join(folder, 'secret'), 'canary')
    chmodSync(join(folder, 'secret'), 0o666)
  }
})

describe('of a decoder that was taken over no answer is believed:', () => {
  const variant = {
    path: 'job/thumb.jpeg',
    mime: 'image/jpeg',
    extension: 'jpeg',
    width: 1,
    height: 1,
    sizeBytes: 1,
    sha256: '0'.repeat(64),
  }
  const picture = {
    type: 'image',
    kind: 'png',
    width: 1,
    height: 1,
    frames: 1,
    orientation: 1,
    bits: 8,
    channels: 3,
    isAnimated: false,
    is360: false,
    thumb: variant,
    file: { path: 'job/upload', isUnchanged: true, kind: 'png', mime: 'image/png', sizeBytes: 1 },
  }
  /** Each with what is wrong in it, so that none is refused for another reason. */
  const answers: Record<string, readonly [answer: unknown, why: string]> = {
    nothing: [null, 'an invalid answer'],
    'another task': [{ type: 'video' }, 'an invalid type'],
    'a thumb elsewhere': [{ ...picture, thumb: { ...variant, path: '/etc/passwd' } }, 'the path /etc/passwd'],
    'a thumb above': [
      { ...picture, thumb: { ...variant, path: 'job/../../thumb.jpeg' } },
      'the path job/../../thumb.jpeg',
    ],
    'a thumb that is the upload': [
      { ...picture, thumb: { ...variant, path: 'job/upload' } },
      'the path job/upload',
    ],
    'a thumb that is not there': [picture, 'the path job/thumb.jpeg'],
    'a thumb that is a page': [
      { ...picture, thumb: { ...variant, mime: 'text/html', extension: 'html' } },
      'an invalid extension',
    ],
    'a thumb without a sum': [{ ...picture, thumb: { ...variant, sha256: undefined } }, 'an invalid sha256'],
    'a file elsewhere': [
      { ...picture, file: { ...picture.file, path: '/etc/passwd' } },
      'the path /etc/passwd',
    ],
    'a file of no kind': [{ ...picture, file: { ...picture.file, kind: 'html' } }, 'an invalid kind'],
    'a changed file without a sum': [
      { ...picture, file: { ...picture.file, isUnchanged: false } },
      'an invalid md5',
    ],
    'sides that are words': [{ ...picture, width: '1' }, 'an invalid width'],
    'sides without end': [{ ...picture, height: 1e300 }, 'an invalid height'],
    'a title that is none': [{ ...picture, title: { toString: 'x' } }, 'an invalid title'],
  }
  for (const [name, [answer, why]] of Object.entries(answers)) {
    test(name, minutes, async () => {
      const refused = await it.examine(orderFor('answer', answer)).then(
        () => assert.fail('it was believed'),
        (error) => error,
      )
      assert.equal((refused as { code?: string }).code, 'not-decodable')
      assert.ok(String(refused.cause).includes(why), String(refused.cause))
    })
  }

  test('a refusal of a kind that does not exist', minutes, async () => {
    for (const params of [{ kind: '<b>' }, { kind: 7 }, {}, null])
      await assert.rejects(it.examine(orderFor('refuse', params)), { code: 'not-decodable' })
    await assert.rejects(it.examine(orderFor('refuse', { kind: 'SVG' })), {
      code: 'kind-off',
      message: 'Files of the kind SVG are switched off.',
      params: { kind: 'SVG' },
    })
  })
})
