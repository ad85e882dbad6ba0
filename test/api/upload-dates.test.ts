import assert from 'node:assert/strict'
import { afterAll, describe, test } from 'vitest'
import { startTestApp } from '../support/harness.ts'
import { moveTo, set, storedBytes, uploaded } from '../support/uploads.ts'

const app = await startTestApp()
const cats = await app.tenant('cats')
const _base = `http://cats.test:${app.port}`
const send = (sending = {}) => uploaded(app, cats, sending)
afterAll(() => app[Symbol.asyncDispose]())

describe('expirations, by the calendar:', () => {
  const cases: [duration: string, from: string, until: string][] = [
    ['PT5M', '2031-03-01T23:58:00Z', '2031-03-02 00:03:00'],
    ['PT15M', '2031-12-31T23:50:00Z', '2032-01-01 00:05:00'],
    ['PT30M', '2031-03-01T12:00:00Z', '2031-03-01 12:30:00'],
    ['PT1H', '2031-03-01T12:00:00Z', '2031-03-01 13:00:00'],
    ['PT3H', '2031-03-01T12:00:00Z', '2031-03-01 15:00:00'],
    ['PT6H', '2031-03-01T12:00:00Z', '2031-03-01 18:00:00'],
    ['PT12H', '2031-03-01T12:00:00Z', '2031-03-02 00:00:00'],
    ['P1D', '2032-02-28T12:00:00Z', '2032-02-29 12:00:00'],
    ['P2D', '2031-02-28T12:00:00Z', '2031-03-02 12:00:00'],
    ['P3D', '2031-03-01T12:00:00Z', '2031-03-04 12:00:00'],
    ['P4D', '2031-03-01T12:00:00Z', '2031-03-05 12:00:00'],
    ['P5D', '2031-03-01T12:00:00Z', '2031-03-06 12:00:00'],
    ['P6D', '2031-03-01T12:00:00Z', '2031-03-07 12:00:00'],
    ['P1W', '2031-03-01T12:00:00Z', '2031-03-08 12:00:00'],
    ['P2W', '2031-03-01T12:00:00Z', '2031-03-15 12:00:00'],
    ['P3W', '2031-03-01T12:00:00Z', '2031-03-22 12:00:00'],
    ['P1M', '2031-01-31T12:00:00Z', '2031-02-28 12:00:00'],
    ['P1M', '2032-01-31T12:00:00Z', '2032-02-29 12:00:00'],
    ['P2M', '2031-12-31T12:00:00Z', '2032-02-29 12:00:00'],
    ['P3M', '2031-03-31T12:00:00Z', '2031-06-30 12:00:00'],
    ['P4M', '2031-10-31T12:00:00Z', '2032-02-29 12:00:00'],
    ['P5M', '2031-01-31T12:00:00Z', '2031-06-30 12:00:00'],
    ['P6M', '2031-08-31T12:00:00Z', '2032-02-29 12:00:00'],
    ['P1Y', '2032-02-29T12:00:00Z', '2033-02-28 12:00:00'],
  ]
  for (const [duration, from, until] of cases) {
    test(`${duration} from ${from}`, async () => {
      moveTo(app, from)
      const image = await send({ fields: { expiration: duration }, fileName: 'short.png' })
      const lateMs = Date.parse(`${image.date_gmt.replace(' ', 'T')}Z`) - Date.parse(from)
      assert.ok(lateMs >= 0 && lateMs < 20_000)
      const ends = Date.parse(`${image.expiration_date_gmt.replace(' ', 'T')}Z`)
      assert.equal(ends, Date.parse(`${until.replace(' ', 'T')}Z`) + lateMs)
      moveTo(app, new Date(ends - 30_000).toISOString())
      assert.ok(await storedBytes(app, cats, image.url))
      moveTo(app, new Date(ends).toISOString())
      for (const url of [image.url, image.thumb.url]) {
        assert.equal(await storedBytes(app, cats, url), undefined)
        assert.equal(
          (await app.send('GET', new URL(url).pathname, { headers: { host: 'cats.test' } })).status,
          404,
        )
      }
    })
  }
})

test('dates are written in the zone of the site, and the folder follows', async () => {
  const zoned = await app.tenant('zoned')
  await set(app, zoned, { timezone: 'America/Santiago' })
  moveTo(app, '2031-01-01T01:30:00Z')
  const image = await uploaded(app, zoned)
  assert.match(image.date, /^2030-12-31 22:30:/)
  assert.match(image.date_gmt, /^2031-01-01 01:30:/)
  assert.equal(image.date_fixed_peer, image.date_gmt)
  assert.match(image.url, /\/images\/2030\/12\/31\//)
})
