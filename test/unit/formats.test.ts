import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, test } from 'vitest'

const folder = fileURLToPath(new URL('../../src/formats/', import.meta.url))
const files = globSync('**/*.ts', { cwd: folder }).sort()

/** Node's modules that compute, or read and write files; none of them starts a process or reaches the network. */
const ALLOWED_MODULES = new Set(['node:crypto', 'node:fs', 'node:zlib'])
/** Packages that are pure functions too. */
const ALLOWED_PACKAGES = new Set(['exifreader'])

test('every file of formats/ has a row on its page, and every row has a file', () => {
  const page = readFileSync(`${folder}README.md`, 'utf8')
  const rows = [...page.matchAll(/^\| `([^`]+\.ts)` \|([^|]*)\|([^|]*)\|$/gm)]
  assert.deepEqual(rows.map(([, path]) => path).sort(), files)
  for (const [row, , , changes = ''] of rows) assert.notEqual(changes.trim(), '', row)
})

describe('a file of formats/ imports nothing but formats, lib and pure modules:', () => {
  for (const path of files) {
    test(path, () => {
      const text = readFileSync(folder + path, 'utf8')
      const imports = [...text.matchAll(/\b(?:from |import |import\()'([^']+)'/g)].map(
        ([, name = '']) => name,
      )
      assert.deepEqual(
        imports.filter((name) => !isAllowed(path, name)),
        [],
      )
      assert.doesNotMatch(text, /getBuiltinModule|\bfetch\(|createRequire|\brequire\(/)
    })
  }
})

test('an import of a process, a thread, the network or imaging would be found', () => {
  const forbidden = [
    'node:child_process',
    'node:worker_threads',
    'node:net',
    'node:http',
    'sharp',
    '../../imaging/index.ts',
  ]
  for (const name of forbidden) assert.ok(!isAllowed('video/x.ts', name), name)
})

function isAllowed(path: string, name: string): boolean {
  if (!name.startsWith('.')) return ALLOWED_MODULES.has(name) || ALLOWED_PACKAGES.has(name)
  return /^(formats|lib)\//.test(posix.join('formats', posix.dirname(path), name))
}
