import assert from 'node:assert/strict'
import { test } from 'vitest'
import { finishMoves } from '../../src/tenants/index.ts'
import { ask } from '../support/delivered.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { type StubCall, startS3Stub } from '../support/stores/storage-s3-stub.ts'
import { runHere } from '../support/tool.ts'
import { md5Of, picture, type TestTenant, uploaded } from '../support/uploads.ts'

interface Stored {
  url: string
  md5: string
}

/** Three files, each with a thumb and a medium version: nine objects. */
async function uploadThree(app: TestApp, tenant: TestTenant): Promise<Stored[]> {
  const stored: Stored[] = []
  for (let seed = 0; seed < 3; seed += 1) {
    const image = await uploaded(app, tenant, { file: await picture({ seed, width: 520, height: 20 }) })
    for (const url of [image.url, image.thumb.url, image.medium.url])
      stored.push({ url, md5: md5Of((await ask(app, url)).bytes) })
  }
  return stored
}

async function assertServed(app: TestApp, stored: readonly Stored[]): Promise<void> {
  for (const { url, md5 } of stored) {
    const { status, bytes } = await ask(app, url)
    assert.deepEqual([status, md5Of(bytes)], [200, md5], url)
  }
}

async function move(app: TestApp, { id }: TestTenant, storage: string, ...options: string[]) {
  const command = ['tenants', 'move', '--id', id, '--storage', storage, '--json', ...options]
  const { code, out, err } = await runHere(command, app.environment)
  return { code, err, json: out === '' ? undefined : JSON.parse(out) }
}

/** The key as rows and the doctor name it, without the site's folder. */
const keyIn = (name: string) => name.slice(name.indexOf('images/'))

const isFileOf = (key: string) => (call: StubCall) => call.action === 'get' && call.key === key

onEachStore('a move from a bucket that lies', (store) => {
  async function startOnBucket() {
    const stub = await startS3Stub()
    const app = await startTestApp({ store, environment: { SERVICE_STORAGE_URL: stub.url } })
    const cats = await app.tenant('cats')
    const stored = await uploadThree(app, cats)
    return {
      stub,
      app,
      cats,
      stored,
      async [Symbol.asyncDispose]() {
        await app[Symbol.asyncDispose]()
        await stub[Symbol.asyncDispose]()
      },
    }
  }

  test('one flipped bit in one answer is read again, and the file arrives whole', async () => {
    await using at = await startOnBucket()
    let flips = 0
    at.stub.setFault(({ action }) => (action === 'get' && ++flips === 1 ? 'flip' : undefined))
    const moved = await move(at.app, at.cats, 'disk:')
    assert.deepEqual([moved.code, moved.json?.moved], [0, true], moved.err)
    assert.equal(at.stub.objects.size, 0)
    await assertServed(at.app, at.stored)
  })

  test('bytes that are read wrong every time stop the move, with both copies kept and the key named', async () => {
    await using at = await startOnBucket()
    const rotten = [...at.stub.objects.keys()].find((key) => key.includes('.th.')) ?? ''
    at.stub.setFault((call) => (isFileOf(rotten)(call) ? 'flip' : undefined))
    const stopped = await move(at.app, at.cats, 'disk:')
    assert.equal(stopped.code, 1)
    assert.deepEqual(stopped.json, { moved: false, missing: [], damaged: [keyIn(rotten)] })
    assert.match(stopped.err, new RegExp(`${keyIn(rotten)} is damaged`))
    assert.equal(at.stub.objects.size, 9)

    at.stub.setFault(() => undefined)
    await assertServed(at.app, at.stored)
    const moved = await move(at.app, at.cats, 'disk:')
    assert.deepEqual([moved.code, moved.json?.moved, at.stub.objects.size], [0, true, 0], moved.err)
    await assertServed(at.app, at.stored)
  })

  test('an error document in place of every file loses nothing', async () => {
    await using at = await startOnBucket()
    at.stub.setFault(({ action, key }) => (action === 'get' && key.includes('images/') ? 'page' : undefined))
    const stopped = await move(at.app, at.cats, 'disk:')
    assert.deepEqual([stopped.code, stopped.json?.damaged.length, at.stub.objects.size], [1, 9, 9])
    at.stub.setFault(() => undefined)
    await assertServed(at.app, at.stored)
  })

  test('a file that is called missing stops the move until it is accepted, and is never removed', async () => {
    await using at = await startOnBucket()
    const hidden = [...at.stub.objects.keys()].find((key) => key.includes('.md.')) ?? ''
    at.stub.setFault(({ action, key }) =>
      key === hidden && (action === 'head' || action === 'get') ? 'absent' : undefined,
    )
    const stopped = await move(at.app, at.cats, 'disk:')
    assert.equal(stopped.code, 1)
    assert.deepEqual(
      stopped.json,
      { moved: false, missing: [], damaged: [keyIn(hidden)] },
      'the listing has it',
    )
    assert.equal(at.stub.objects.size, 9)

    const gone = at.stub.objects.get(hidden)
    at.stub.objects.delete(hidden)
    const missing = await move(at.app, at.cats, 'disk:', '--accept-missing', 'images/another.png')
    assert.deepEqual(missing.json, { moved: false, missing: [keyIn(hidden)], damaged: [] })

    const moved = await move(at.app, at.cats, 'disk:', '--accept-missing', `x,${keyIn(hidden)}`)
    assert.deepEqual([moved.code, moved.json?.moved, moved.json?.lost], [0, true, [keyIn(hidden)]], moved.err)
    // The old copy stays until every file has its bytes at the new location.
    assert.deepEqual([moved.json?.cleaned, at.stub.objects.size], [false, 8])
    if (gone) at.stub.objects.set(hidden, gone)
    at.stub.setFault(() => undefined)
    at.app.wait(25 * 3_600)
    await finishMoves(at.app.app.control, (_site, fault) => assert.fail(String(fault)))
    assert.equal(at.stub.objects.size, 0)
    await assertServed(at.app, at.stored)
  })

  test('a cut answer is read again; one that is always cut names its key', async () => {
    await using at = await startOnBucket()
    const [cut = ''] = at.stub.objects.keys()
    at.stub.setFault((call) => (isFileOf(cut)(call) ? 'truncate' : undefined))
    const stopped = await move(at.app, at.cats, 'disk:')
    assert.deepEqual([stopped.code, stopped.json?.damaged], [1, [keyIn(cut)]], stopped.err)
    let cuts = 0
    at.stub.setFault((call) => (isFileOf(cut)(call) && ++cuts === 1 ? 'truncate' : undefined))
    assert.equal((await move(at.app, at.cats, 'disk:')).code, 0)
    await assertServed(at.app, at.stored)
  })
})

onEachStore('a move to a bucket that lies', (store) => {
  test('a damaged copy at the new location is replaced by the next move', async () => {
    await using stub = await startS3Stub()
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const stored = await uploadThree(app, cats)
    stub.setFault(({ action, key }) => (action === 'get' && key.includes('.th.') ? 'flip' : undefined))
    const stopped = await move(app, cats, stub.url)
    assert.deepEqual([stopped.code, stopped.json?.damaged.length], [1, 3], stopped.err)
    stub.setFault(() => undefined)
    for (const object of stub.objects.values())
      object.bytes = Buffer.from(object.bytes.map((byte) => byte ^ 1))
    const moved = await move(app, cats, stub.url)
    assert.deepEqual([moved.code, moved.json?.moved, moved.json?.cleaned], [0, true, true], moved.err)
    await assertServed(app, stored)
  })
})
