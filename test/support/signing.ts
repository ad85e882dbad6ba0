import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import type { TestApp } from './harness.ts'
import { ask5, keyOf } from './media.ts'
import { picture, type TestTenant, uploaded } from './uploads.ts'

/** As a program signs by itself, without the code of the server; see docs/api-media.md. */
export function signedBy(key: string, url: string, version = 1): string {
  const { origin, pathname, searchParams } = new URL(url)
  const pairs = [...searchParams].sort(([one], [other]) => (one < other ? -1 : 1))
  const text = JSON.stringify([pathname, pairs, version])
  searchParams.set('s', createHmac('sha256', Buffer.from(key, 'hex')).update(text).digest('hex').slice(0, 32))
  return `${origin}${pathname}?${searchParams}`
}

export const bare = (url: string): string => url.split('?')[0] ?? ''

/** A site with a protected file and an open one. */
export async function siteWithPictures(app: TestApp) {
  const cats = await app.tenant('cats')
  const key = await keyOf(app, cats, 'admin')
  const body = { title: 'private', privacy: 'private' }
  const album = (await ask5(app, cats, 'POST albums', { key, body })).json
  const file = await picture({ width: 900, height: 600 })
  const hidden = await uploaded(app, cats, { file, fields: { album_id: album.id } })
  const open = await uploaded(app, cats, { file: await picture({ width: 900, height: 600, seed: 2 }) })
  return { cats, key, hidden, open, file }
}

export async function showKey(app: Pick<TestApp, 'send'>, tenant: TestTenant, key: string) {
  const shown = await ask5(app, tenant, 'GET signing-key', { key })
  assert.equal(shown.status, 200, shown.text)
  assert.equal(shown.headers['cache-control'], 'no-store')
  return shown.json
}

export async function rotateKey(
  app: Pick<TestApp, 'send'>,
  tenant: TestTenant,
  key: string,
  { overlap = 0, headers = {} }: { overlap?: number; headers?: Record<string, string> } = {},
) {
  const body = { overlap_seconds: overlap }
  const rotated = await ask5(app, tenant, 'POST signing-key/rotate', { key, body, headers })
  assert.equal(rotated.status, 200, rotated.text)
  assert.equal(rotated.headers['cache-control'], 'no-store')
  return { ...rotated.json, isReplayed: rotated.headers['idempotency-replayed'] === 'true' }
}
