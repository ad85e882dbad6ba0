import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'vitest'
import { kinds, kindsByName, kindsShownIn } from '../../src/imaging/kinds/index.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test('every kind stands under its own name, with a MIME type and extensions that no other kind has', () => {
  for (const [name, kind] of Object.entries(kindsByName)) assert.equal(kind.name, name)
  const mimes = kinds.map(({ mime }) => mime)
  const extensions = kinds.flatMap((kind) => kind.extensions)
  assert.deepEqual(mimes, [...new Set(mimes)])
  assert.deepEqual(extensions, [...new Set(extensions)])
  for (const { type, mime } of kinds) assert.ok(mime.startsWith(`${type}/`), mime)
})

test('a file is of the first kind that matches, and AVIF is compared before HEIC', () => {
  const names = kinds.map(({ name }) => name)
  assert.ok(names.indexOf('avif') < names.indexOf('heic'))
})

test('pages show what browsers show, and links what messengers show', () => {
  assert.deepEqual(kindsShownIn('browsers'), ['jpeg', 'png', 'gif', 'webp', 'avif', 'bmp', 'svg'])
  assert.deepEqual(kindsShownIn('link-previews'), ['jpeg', 'png', 'gif', 'webp'])
})

describe('every kind is named', () => {
  const rows = read('docs/api-upload.md').match(/^\| Kind \| Stored as[\s\S]*?\n\n/m)?.[0] ?? ''
  const table = rows
    .split('\n')
    .map((row) => row.split('|')[1])
    .join()
  const list = /at `\/api\/1\/upload`[^:]*: ([^.]*)\./.exec(read('README.md'))?.[1] ?? ''
  for (const [where, text] of Object.entries({
    'in the table of docs/api-upload.md': table,
    'in README.md': list,
  })) {
    test(where, () => {
      const missing = kinds.filter(({ name }) => !new RegExp(`\\b${name}\\b`, 'i').test(text))
      assert.deepEqual(
        missing.map(({ name }) => name),
        [],
      )
    })
  }
})
