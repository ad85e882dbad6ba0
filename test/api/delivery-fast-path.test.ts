import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdir, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, test } from 'vitest'
import { answerTo, longWayTo, notTaken, requestOf, startFastPath } from '../support/clients/fast-path.ts'
import { ask, pathOnDisk } from '../support/delivered.ts'
import { startTestApp } from '../support/harness.ts'
import { noise, onSiteOf, picture, uploaded } from '../support/uploads.ts'

describe('the fast path', () => {
  test('answers byte for byte as the long way does, or leaves the request to it', async () => {
    await using app = await startTestApp()
    await using fastPath = await startFastPath(app)
    const cats = await app.tenant('cats')
    await app.tenant('dogs')
    for (const file of [await picture({ seed: 3 }), await noise(200, 200)]) {
      const image = await uploaded(app, cats, { file, fileName: `cat-${file.length}.png` })
      // A large file is held once it was asked for twice.
      for (let round = 0; round < 2; round += 1) assert.equal((await ask(app, image.url)).status, 200)
      const { headers } = await ask(app, image.url)
      const tag = String(headers.etag)
      const time = String(headers['last-modified'])
      const path = new URL(image.url).pathname
      const host = 'Host: cats.test'
      for (const [isTaken, ...lines] of [
        [true, host],
        [true, 'HOST: CATS.TEST.:80'],
        [true, host, 'Accept: text/html'],
        [true, host, 'Cookie: a=b', 'X-Forwarded-Host: dogs.test'],
        [true, host, `If-None-Match: ${tag}`],
        [true, host, `If-None-Match: "a", W/${tag}`],
        [true, host, 'If-None-Match: *'],
        [true, host, 'If-None-Match: "another"'],
        [true, host, `If-Modified-Since: ${time}`],
        [true, host, 'If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT'],
        [true, host, `If-Match: ${tag}`],
        [false, host, 'If-Match: "another"'],
        [false, host, 'If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT'],
        [true, host, 'Range: bytes=0-9'],
        [true, host, 'Range: bytes=-5'],
        [true, host, 'Range: bytes=7-'],
        [true, host, 'Range: bytes=5-2'],
        [true, host, 'Range: bytes=0-1,4-5'],
        [true, host, 'Range: words=0-1'],
        [false, host, 'Range: bytes=99999999-'],
        [true, host, 'Range: bytes=3-8', `If-Range: ${tag}`],
        [true, host, 'Range: bytes=3-8', 'If-Range: "another"'],
        [false, host, 'Content-Length: 0'],
        [true, host, 'X-Terrace-Accel: /files 00'],
        [false, 'Host: dogs.test'],
        [false, 'Host: nobody.test'],
        [false, host, 'Host: cats.test'],
        [false, 'Host: cats.test/a'],
        [false],
      ] as const) {
        const request = (target: string, method = 'GET') =>
          [`${method} ${target} HTTP/1.1`, ...lines, 'Connection: close', '', ''].join('\r\n')
        const words = lines.join(' | ')
        const long = await answerTo(app.port, request(longWayTo(path)))
        assert.equal(await answerTo(app.port, request(path)), long, words)
        assert.equal(await answerTo(fastPath.port, request(`${path}?v=2`)), isTaken ? long : notTaken, words)
        assert.equal(await answerTo(fastPath.port, request(path)), isTaken ? long : notTaken, words)
        assert.equal(
          await answerTo(app.port, request(path, 'HEAD')),
          await answerTo(app.port, request(longWayTo(path), 'HEAD')),
          words,
        )
        for (const [target, method] of [
          [path, 'HEAD'],
          [path, 'POST'],
          [`${path}/`, 'GET'],
          [`/${path}`, 'GET'],
          [`http://cats.test${path}`, 'GET'],
          [path.replace('cat', '%63at'), 'GET'],
          [path.replace('.png', '.jpg'), 'GET'],
        ])
          assert.equal(
            await answerTo(fastPath.port, request(target ?? '', method)),
            notTaken,
            `${method} ${target}`,
          )
      }
    }
  })

  test('takes an old protocol and a lasting connection as the long way does', async () => {
    await using app = await startTestApp()
    await using fastPath = await startFastPath(app)
    const image = await uploaded(app, await app.tenant('cats'))
    await ask(app, image.url)
    const path = new URL(image.url).pathname
    for (const [protocol, line] of [
      ['HTTP/1.0', 'Accept: */*'],
      ['HTTP/1.0', 'Connection: keep-alive'],
      ['HTTP/1.1', 'Connection: close'],
    ]) {
      const request = (target: string) => `GET ${target} ${protocol}\r\nHost: cats.test\r\n${line}\r\n\r\n`
      const closing = 'GET /images/none HTTP/1.1\r\nHost: cats.test\r\nConnection: close\r\n\r\n'
      const isLasting = line === 'Connection: keep-alive'
      const long = await answerTo(app.port, request(longWayTo(path)) + (isLasting ? closing : ''))
      assert.match(long, /^HTTP\/1\.1 200 /)
      assert.equal(await answerTo(app.port, request(path) + (isLasting ? closing : '')), long)
      if (!isLasting) assert.equal(await answerTo(fastPath.port, request(path)), long)
    }
    // Two at once: the second waits for the first, and comes behind it.
    const pair = (target: string) =>
      `GET ${target} HTTP/1.1\r\nHost: cats.test\r\n\r\n`.repeat(2) +
      `GET ${target} HTTP/1.1\r\nHost: cats.test\r\nConnection: close\r\n\r\n`
    const answers = await answerTo(app.port, pair(path))
    assert.equal(answers, await answerTo(app.port, pair(longWayTo(path))))
    assert.equal(answers.split('HTTP/1.1 200 OK').length, 4)
  })

  test('asks for the row and the tenant each time, however hot the bytes are', async () => {
    await using app = await startTestApp()
    await using fastPath = await startFastPath(app)
    const cats = await app.tenant('cats')
    const upload = async (fields: Record<string, string> = {}) => {
      const image = await uploaded(app, cats, { file: await picture({ seed: Math.random() * 1e6 }), fields })
      await ask(app, image.url)
      const request = requestOf(image.url)
      assert.match(await answerTo(fastPath.port, request), /^HTTP\/1\.1 200 /)
      return { image, request }
    }
    const isLeft = async (request: string, status: number) => {
      assert.equal(await answerTo(fastPath.port, request), notTaken)
      const [line] = (await answerTo(app.port, request)).split('\r\n')
      assert.ok(line?.startsWith(`HTTP/1.1 ${status} `), `${line} in place of ${status}`)
    }

    const removed = await upload()
    assert.equal((await ask(app, removed.image.delete_url, {}, 'DELETE')).status, 200)
    await isLeft(removed.request, 404)

    const expiring = await upload({ expiration: 'PT5M' })
    const seconds = Number(/max-age=(\d+)/.exec(await answerTo(fastPath.port, expiring.request))?.[1])
    assert.ok(seconds > 200 && seconds <= 300, String(seconds))
    app.wait(60)
    const later = Number(/max-age=(\d+)/.exec(await answerTo(fastPath.port, expiring.request))?.[1])
    assert.ok(later <= seconds - 60 && later > 0, `${later} after ${seconds}`)
    app.wait(240)
    await isLeft(expiring.request, 404)

    const withdrawn = await upload()
    await onSiteOf(app, cats, (site) => site.db.updateTable('file').set({ isApproved: 0 }).execute())
    await isLeft(withdrawn.request, 404)

    // Another process writes past us.
    const changed = await upload()
    await onSiteOf(app, cats, (site) =>
      execInProcess(
        join(app.dataDir, 'sites', String(site.number), 'site.db'),
        'update file set isApproved = 0',
      ),
    )
    await isLeft(changed.request, 404)

    const there = await upload()
    const change = async (edit: object) =>
      assert.equal((await app.call('PATCH', 'tenants/cats', edit)).status, 204)
    await change({ is_enabled: false })
    await isLeft(there.request, 403)
    await change({ is_enabled: true, hostname: 'moved.test' })
    await isLeft(there.request, 404)
    await change({ hostname: 'cats.test' })
    assert.match(await answerTo(app.port, there.request), /^HTTP\/1\.1 200 /)
    assert.match(await answerTo(fastPath.port, there.request), /^HTTP\/1\.1 200 /)
    assert.ok((await app.call('DELETE', 'tenants/cats')).status < 300)
    await isLeft(there.request, 404)
  })

  test('names the path of the bytes to a proxy as the long way does, and only while they are there', async () => {
    await using app = await startTestApp({
      environment: { SERVICE_TRUSTED_PROXIES: '127.0.0.1', SERVICE_TRUST_FORWARDED_HOST: '1' },
    })
    await using fastPath = await startFastPath(app)
    const cats = await app.tenant('cats')
    const image = await uploaded(app, cats, { file: await noise(200, 200) })
    const request = (target: string, ...lines: string[]) =>
      [`GET ${target} HTTP/1.1`, 'Host: cats.test', ...lines, 'Connection: close', '', ''].join('\r\n')
    const path = new URL(image.url).pathname
    const proved = `X-Terrace-Accel: /f ${createHmac('sha256', app.secret).update('/f').digest('hex')}`
    // Whether the bytes are there may be a wait for a disk, until somebody has looked.
    assert.equal(await answerTo(fastPath.port, request(path, proved)), notTaken)
    const tag = String((await ask(app, image.url)).headers.etag)
    for (let round = 0; round < 2; round += 1) await ask(app, image.url)
    for (const [isNamed, isTaken, ...lines] of [
      [true, true, proved],
      [true, true, proved.replace('/f ', '/f/ ')],
      [true, true, proved, 'Range: bytes=0-9'],
      [false, true, proved, `If-None-Match: ${tag}`],
      [false, false, proved, 'If-Match: "another"'],
      [false, false, proved, 'X-Forwarded-Host: dogs.test'],
      [false, true, proved.replace('/f ', '/g ')],
      [false, true, proved, proved],
    ] as const) {
      const long = await answerTo(app.port, request(longWayTo(path), ...lines))
      const words = lines.join(' | ')
      assert.equal(/x-accel-redirect: \/f\/sites\//.test(long), isNamed, words)
      assert.ok((await answerTo(app.port, request(path, ...lines))) === long, words)
      assert.ok(
        (await answerTo(fastPath.port, request(path, ...lines))) === (isTaken ? long : notTaken),
        words,
      )
    }

    const place = await pathOnDisk(app, cats, image.url)
    const whole = await readFile(place)
    const mend = async () => {
      await rm(place, { recursive: true, force: true })
      await writeFile(place, whole)
    }
    for (const damage of [
      () => truncate(place, whole.length - 1),
      () => rm(place),
      () => rm(place).then(() => mkdir(place)),
      () => rename(place, `${place}.away`).then(() => symlink(`${place}.away`, place)),
    ]) {
      await damage()
      assert.equal(await answerTo(fastPath.port, request(path, proved)), notTaken)
      assert.match(await answerTo(app.port, request(path, proved)), /^HTTP\/1\.1 503 /)
      await mend()
      assert.match(await answerTo(fastPath.port, request(path, proved)), /\r\nx-accel-redirect: \/f\//)
    }
    assert.equal((await ask(app, image.delete_url, {}, 'DELETE')).status, 200)
    assert.equal(await answerTo(fastPath.port, request(path, proved)), notTaken)
    assert.match(await answerTo(app.port, request(path, proved)), /^HTTP\/1\.1 404 /)
  })

  test('counts what it answers as the long way does', async () => {
    await using app = await startTestApp()
    const image = await uploaded(app, await app.tenant('cats'))
    const counted = async () => {
      const { text } = await app.send('GET', '/_/metrics', { headers: { host: 'localhost' } })
      const [, count] =
        /terrace_requests_total\{method="GET",route="\/images\/\*",status="200"\} (\d+)/.exec(text) ?? []
      return Number(count ?? 0)
    }
    for (let round = 0; round < 4; round += 1) await ask(app, image.url)
    for (let wait = 0; wait < 50 && (await counted()) < 4; wait += 1)
      await new Promise((done) => setTimeout(done, 20))
    assert.equal(await counted(), 4)
  })
})

/**
 * Runs SQL on a SQLite file in a process of its own. In this one it would block the event loop while a writing thread
 * holds the lock, and that thread waits for the event loop to end its transaction.
 */
async function execInProcess(path: string, sql: string): Promise<void> {
  const program =
    "new (require('better-sqlite3'))(process.argv[1], { fileMustExist: true }).exec(process.argv[2])"
  await promisify(execFile)(process.execPath, ['-e', program, path, sql])
}
