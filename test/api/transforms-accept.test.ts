import assert from 'node:assert/strict'
import sharp from 'sharp'
import { test } from 'vitest'
import { ask } from '../support/delivered.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { until } from '../support/until.ts'
import { limit, onSiteOf, picture, type TestTenant, uploaded } from '../support/uploads.ts'

/** What clients send for `<img>`, or for a link that a person follows, and the best that they read. */
const clients: Record<string, [accept: string | undefined, best: 'avif' | 'webp' | 'jpeg']> = {
  'Chrome and Edge': ['image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8', 'avif'],
  'Chromium that reads JPEG XL': [
    'image/jxl,image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8',
    'avif',
  ],
  'Chrome, a link': [
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
    'avif',
  ],
  'Chrome 84, before AVIF': ['image/webp,image/apng,image/*,*/*;q=0.8', 'webp'],
  'Firefox 128 and later': ['image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5', 'avif'],
  'Firefox 93 to 127': ['image/avif,image/webp,*/*', 'avif'],
  'Firefox, a link': ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'jpeg'],
  'Safari 17 and later, also on iOS': [
    'image/webp,image/avif,image/jxl,image/heic,image/heic-sequence,video/*;q=0.8,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5',
    'avif',
  ],
  'Safari 14 and 15, also on iOS': [
    'image/webp,image/png,image/svg+xml,image/*;q=0.8,video/*;q=0.8,*/*;q=0.5',
    'webp',
  ],
  'Safari 13, also on iOS': ['image/png,image/svg+xml,image/*;q=0.8,video/*;q=0.8,*/*;q=0.5', 'jpeg'],
  curl: ['*/*', 'jpeg'],
  Wget: ['*/*', 'jpeg'],
  'Wget 1.2, and programs without Accept': [undefined, 'jpeg'],
  'mail programs': ['image/*', 'jpeg'],
  'who refuses AVIF': ['image/avif;q=0,image/webp;q=0.1,image/*', 'webp'],
  'who refuses it in other spellings': ['Image/AVIF ; Q=0.000 , IMAGE/WEBP', 'webp'],
  'who writes no weight': ['image/avif;q=,image/webp;q=x', 'jpeg'],
}

const formatOf = async (bytes: Buffer) => {
  const { format } = await sharp(bytes).metadata()
  return format === 'heif' ? 'avif' : format
}

const derivedMimes = (app: TestApp, tenant: TestTenant) =>
  onSiteOf(app, tenant, async ({ db }) =>
    (await db.selectFrom('derived').select('mime').execute()).map(({ mime }) => mime).toSorted(),
  )

onEachStore('format=auto', (store) => {
  test('gives every client what it reads, and varies', { timeout: 120_000 }, async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { url } = await uploaded(app, cats, { file: await picture({ width: 700, height: 500 }) })
    const address = `${url}?width=320&format=auto`
    const check = async (isAvifMade: boolean) => {
      for (const [name, [accept, best]] of Object.entries(clients)) {
        const expected = best === 'avif' && !isAvifMade ? 'webp' : best
        for (const method of ['GET', 'HEAD']) {
          const about = `${method} by ${name}`
          const { status, headers, bytes } = await ask(app, address, accept ? { accept } : {}, method)
          assert.deepEqual([status, headers['content-type']], [200, `image/${expected}`], about)
          assert.equal(headers.vary, 'Accept', about)
          const age = best === expected ? 'public, max-age=31536000, immutable' : 'public, max-age=60'
          assert.equal(headers['cache-control'], age, about)
          if (method === 'GET') assert.equal(await formatOf(bytes), expected, about)
          const tag = String(headers.etag)
          const known = await ask(app, address, { ...(accept && { accept }), 'if-none-match': tag })
          assert.deepEqual([known.status, known.headers.vary], [304, 'Accept'], about)
        }
      }
    }
    const first = Object.values(clients).filter(([, best]) => best !== 'avif')
    for (const [accept] of first) await ask(app, address, accept ? { accept } : {})
    // Nothing is made for those who cannot read it.
    assert.deepEqual(await derivedMimes(app, cats), ['image/jpeg', 'image/webp'])
    // While nobody may make more, no AVIF comes in between.
    await limit(app, cats, { SERVICE_MAX_TRANSFORMS: '2' })
    await check(false)
    await limit(app, cats, {})
    await ask(app, address, { accept: 'image/avif' })
    await until(async () => (await derivedMimes(app, cats)).length === 3, 'AVIF is made')
    await check(true)
  })

  test('never makes AVIF in a request, however it is asked for', { timeout: 120_000 }, async () => {
    await using app = await startTestApp({ store, hasOwnDecoders: true })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const accept = { accept: 'image/avif,image/webp,*/*' }
    const { begun } = app.app.imaging
    const ways: Record<string, (address: string) => Promise<{ status: number; headers: any }[]>> = {
      HEAD: async (address) => [await ask(app, address, accept, 'HEAD')],
      Range: async (address) => [await ask(app, address, { ...accept, range: 'bytes=0-9' })],
      'many at once': (address) => Promise.all(Array.from({ length: 12 }, () => ask(app, address, accept))),
      'by its name': async (address) => [await ask(app, `${address}&format=avif`)],
      'after the budget has removed WebP': async (address) => {
        await ask(app, address, { accept: 'image/webp' })
        await limit(app, cats, { SERVICE_MAX_DERIVED: '1' })
        await ask(app, `${address}&format=png`)
        await limit(app, cats, {})
        assert.deepEqual(await derivedMimes(app, cats), [])
        return [await ask(app, address, accept)]
      },
    }
    for (const [way, asking] of Object.entries(ways)) {
      const seed = Object.keys(ways).indexOf(way)
      const image = await uploaded(app, cats, { file: await picture({ width: 700, height: 500, seed }) })
      const before = begun.unhurried
      for (const { status, headers } of await asking(`${image.url}?width=500`)) {
        assert.ok([200, 206].includes(status), way)
        // On a slow machine the last of many asks after AVIF was made.
        const isLate = way === 'many at once' && headers['content-type'] === 'image/avif'
        if (isLate) continue
        assert.equal(headers['content-type'], 'image/webp', way)
        assert.equal(headers['cache-control'], 'public, max-age=60', way)
      }
      await until(async () => (await derivedMimes(app, cats)).includes('image/avif'), `AVIF is made: ${way}`)
      assert.equal(begun.unhurried, before + 1, `${way}: made once`)
      await ask5(app, cats, `DELETE files/${image.id_encoded}?permanent=true`, { key })
      assert.deepEqual(await derivedMimes(app, cats), [])
    }
  })
})
