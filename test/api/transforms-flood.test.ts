import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { test } from 'vitest'
import { ask, type Delivered } from '../support/delivered.ts'
import { heicQuarters } from '../support/fixtures/imaging-heic.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { times } from '../support/servers/several-servers.ts'
import { until } from '../support/until.ts'
import { noise, picture, type TestTenant, upload, uploaded } from '../support/uploads.ts'

const minutes = { timeout: 300_000 }

/** Signed addresses of as many sizes. */
async function sizesOf(app: TestApp, tenant: TestTenant, url: string, count: number): Promise<string[]> {
  const key = await keyOf(app, tenant, 'write')
  const widths = times(count, (index) => `${url}?width=${index + 20}&format=webp`)
  const pages = times(Math.ceil(count / 100), (page) => widths.slice(page * 100, page * 100 + 100))
  const signed = await Promise.all(
    pages.map(async (urls) => (await ask5(app, tenant, 'POST sign', { key, body: { urls } })).json.urls),
  )
  return signed.flat()
}

const isNearest = ({ headers }: Delivered) => headers['cache-control'] === 'no-store'

test(
  'a full queue gives readers the nearest version, and leaves uploads their decoder',
  minutes,
  async () => {
    await using app = await startTestApp({
      hasOwnDecoders: true,
      environment: { SERVICE_RATE_READS: '0', SERVICE_READERS_PER_ADDRESS: '10000' },
    })
    const cats = await app.tenant('cats')
    const file = await picture({ width: 900, height: 600 })
    const { url, medium } = await uploaded(app, cats, { file })
    const phone = await uploaded(app, cats, { file: heicQuarters(), fileName: 'phone.heic' })
    const versionOf = async (address: string) => (await ask(app, address)).bytes
    const [whole, middle, thumb] = await Promise.all([url, medium.url, phone.thumb.url].map(versionOf))
    const addresses = await sizesOf(app, cats, url, 330)

    // The decoder has no time for anything.
    const { pids } = app.app.imaging
    assert.equal(pids.length, 1)
    for (const pid of pids) process.kill(pid, 'SIGSTOP')
    let answered = 0
    const flood = addresses.map((address) =>
      ask(app, address).finally(() => {
        answered += 1
      }),
    )
    // Eight hold a copy, 256 wait, and all others are answered at once.
    await until(() => answered >= 330 - 8 - 256, 'the queue is full')
    const now = async (query: string, of = url, headers = {}) => {
      const answer = await ask(app, `${of}?${query}`, headers)
      assert.deepEqual([answer.status, answer.headers['cache-control']], [200, 'no-store'], query)
      return answer
    }
    assert.ok((await now('width=640')).bytes.equals(whole as Buffer))
    assert.ok((await now('width=320&format=png')).bytes.equals(middle as Buffer))
    const forBrowser = await now('width=500', url, { accept: 'image/avif,image/webp' })
    assert.ok(forBrowser.bytes.equals(middle as Buffer))
    assert.equal(forBrowser.headers.vary, 'Accept')
    const forPhone = await now('width=960', phone.url)
    assert.ok(forPhone.bytes.equals(thumb as Buffer), 'no browser is sent HEIC')
    const head = await ask(app, `${url}?width=640`, {}, 'HEAD')
    assert.deepEqual(
      [head.status, head.headers['cache-control'], Number(head.headers['content-length'])],
      [200, 'no-store', file.length],
    )
    const part = await ask(app, `${url}?width=640`, { range: 'bytes=3-9' })
    assert.deepEqual([part.status, part.bytes.equals(file.subarray(3, 10))], [206, true])
    if (availableParallelism() > 1)
      assert.equal((await upload(app, cats, { file: await noise(64, 48) })).status, 200)

    for (const pid of pids) process.kill(pid, 'SIGCONT')
    const answers = await Promise.all(flood)
    for (const [index, answer] of answers.entries()) {
      assert.equal(answer.status, 200)
      const { width } = await sharp(answer.bytes).metadata()
      if (isNearest(answer)) assert.equal(width, index + 20 <= 500 ? 500 : 900)
      else assert.equal(width, index + 20)
    }
    const refused = answers.filter(isNearest).length
    assert.ok(refused >= 330 - 8 - 256 && refused < 330, `${refused} had the nearest version`)
    // After the flood everything is made again.
    const made = await ask(app, `${url}?width=640`)
    assert.deepEqual([made.status, (await sharp(made.bytes).metadata()).width], [200, 640])
  },
)

test(
  'a flood of one tenant does not hold up another, nor copy more than sixteen originals',
  minutes,
  async () => {
    await using app = await startTestApp({
      hasOwnDecoders: true,
      environment: { SERVICE_RATE_READS: '0', SERVICE_READERS_PER_ADDRESS: '10000' },
    })
    const file = await picture({ width: 900, height: 600 })
    const [cats, dogs, birds] = await Promise.all(['cats', 'dogs', 'birds'].map((id) => app.tenant(id)))
    assert.ok(cats && dogs && birds)
    const addressesOf = async (tenant: TestTenant, count: number) =>
      sizesOf(app, tenant, (await uploaded(app, tenant, { file })).url, count)
    const floods = [await addressesOf(cats, 60), await addressesOf(dogs, 60)]
    const quiet = await addressesOf(birds, 2)

    for (const pid of app.app.imaging.pids) process.kill(pid, 'SIGSTOP')
    const order: string[] = []
    const send = (name: string, addresses: readonly string[]) =>
      addresses.map((address) => ask(app, address).then(() => order.push(name)))
    const copies = () => readdirSync(join(app.dataDir, 'spool')).length
    const first = send('loud', floods[0] ?? [])
    await until(() => app.app.imaging.waiting === 7, 'eight have a copy')
    // The decoder has taken the first one.
    assert.equal(copies(), 7)
    const asked = send('quiet', quiet)
    await until(() => app.app.imaging.waiting === 9, 'the quiet tenant has its copies beside them')
    const second = send('loud', floods[1] ?? [])
    await until(() => app.app.imaging.waiting === 15, 'sixteen have a copy')
    assert.equal(copies(), 15)
    for (const pid of app.app.imaging.pids) process.kill(pid, 'SIGCONT')
    await Promise.all([...first, ...asked, ...second])
    const places = order.flatMap((name, place) => (name === 'quiet' ? [place] : []))
    // Of three tenants in turns; one picture was being made.
    assert.ok((places[0] ?? 99) <= 4 && (places[1] ?? 99) <= 8, `${places} of ${order.length}`)
    await until(() => copies() === 0, 'the spool is empty')
  },
)
