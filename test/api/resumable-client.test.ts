import assert from 'node:assert/strict'
import * as tus from 'tus-js-client'
import { test } from 'vitest'
import { finishedAs, padded } from '../support/clients/resumable.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { keyOf } from '../support/media.ts'
import { picture, storedBytes } from '../support/uploads.ts'

interface Sending {
  port: number
  host: string
  key: string
  bytes: Buffer
  options?: Partial<tus.UploadOptions>
}

/** What the client in the browser does, by the same library. */
function upload({ port, host, key, bytes, options = {} }: Sending): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const sending = new tus.Upload(bytes, {
    endpoint: `http://127.0.0.1:${port}/api/5/uploads`,
    headers: { host, 'x-api-key': key },
    metadata: { filename: 'Süße Katze.jpg', filetype: 'image/jpeg' },
    retryDelays: [0, 10, 100],
    onError: reject,
    onSuccess: () => resolve(sending.url ?? ''),
    ...options,
  })
  sending.start()
  return promise
}

const idOf = (url: string) => url.split('/').at(-1) ?? ''

onEachStore('tus-js-client', (store) => {
  test('uploads in one request, in parts, with its first bytes, and after failures', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'upload')
    const jpeg = await picture({ format: 'jpeg' })
    const failing = new Set<number>()
    const cases: Partial<tus.UploadOptions>[] = [
      {},
      { chunkSize: 1_000_000 },
      { chunkSize: 3_000_000, uploadDataDuringCreation: true },
      { chunkSize: 2_000_000, overridePatchMethod: true },
      {
        chunkSize: 2_000_000,
        // Every other part is lost on the way.
        onBeforeRequest: (sent) => {
          const offset = Number(sent.getHeader('Upload-Offset') ?? 0)
          if (offset === 0 || failing.has(offset)) return
          failing.add(offset)
          throw new Error('The line is cut.')
        },
      },
    ]
    for (const [index, options] of cases.entries()) {
      const bytes = padded(jpeg, 10_000_000 + index, index + 1)
      const url = await upload({ port: app.port, host: cats.hostname, key, bytes, options })
      const { status, json, text } = await finishedAs([app, cats], idOf(url), key)
      assert.equal(status, 200, text)
      assert.match(json.filename, /Katze.*\.jpg$/)
      assert.deepEqual(await storedBytes(app, cats, json.url), bytes)
    }
    assert.ok(failing.size > 0)
  })

  test('goes on from an address that it knows, and learns why a file is refused', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'upload')
    const bytes = padded(await picture({ format: 'jpeg' }), 5_000_000)
    const ends = { port: app.port, host: cats.hostname, key, bytes }
    let url = ''
    const begun = new Promise<void>((resolve) => {
      const sending = new tus.Upload(bytes, {
        endpoint: `http://127.0.0.1:${app.port}/api/5/uploads`,
        headers: { host: cats.hostname, 'x-api-key': key },
        chunkSize: 1_000_000,
        retryDelays: [],
        onChunkComplete: (_size, accepted) => {
          url = sending.url ?? ''
          if (accepted >= 2_000_000) void sending.abort().then(resolve)
        },
      })
      sending.start()
    })
    await begun
    assert.equal(await upload({ ...ends, options: { uploadUrl: url, chunkSize: 1_000_000 } }), url)
    assert.deepEqual(
      await storedBytes(app, cats, (await finishedAs([app, cats], idOf(url), key)).json.url),
      bytes,
    )
    const text = Buffer.from('No picture.')
    const refused = await upload({ ...ends, bytes: text }).catch((error: tus.DetailedError) => error)
    assert.ok(refused instanceof Error)
    assert.equal(refused.originalResponse?.getStatus(), 400)
    assert.match(refused.originalResponse?.getBody() ?? '', /upload-refused/)
  })
})
