import { test } from 'vitest'
import { startTestApp } from './harness.ts'
import { noise, picture, set, upload } from './uploads.ts'
test('probe', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const base64 = (await picture()).toString('base64')
  const show = async (what: string, sending: object) => {
    const { status, headers, text } = await upload(app, cats, sending)
    console.log(what, status, headers['content-type'], text.slice(0, 90))
  }
  await show('txt + bad base64', { form: { source: 'x*y', format: 'txt' } })
  await show('txt + empty file', { fields: { format: 'txt' }, file: Buffer.alloc(0) })
  await show('wrong form key + bad base64', { key: null, form: { source: 'x*y', key: 'wrong' } })
  await show('wrong form key + empty file', { key: null, fields: { key: 'wrong' }, file: Buffer.alloc(0) })
  await show('bad nsfw + bad base64', { form: { nsfw: '2', source: 'x*y' } })
  await show('bad nsfw + empty file', { fields: { nsfw: '2' }, file: Buffer.alloc(0) })
  await show('bad image + good source', { form: { image: 'x*y', source: base64 } })
  await show('twice, wrong key', { key: 'wrong', query: 'nsfw=1&nsfw=1' })
  await set(app, cats, { max_file_size_user: '1000', max_file_size_guest: '1000' })
  const big = await noise(100, 100)
  await show('wrong form key + too big', { key: null, fields: { key: 'wrong' }, file: big })
  await show('bad nsfw + too big', { fields: { nsfw: '2' }, file: big })
  await show('txt + too big', { fields: { format: 'txt' }, file: big })
})
