import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'vitest'

const build = new URL('../../build/', import.meta.url)

/** What `serve` imports on its way to the first request: by path, and then all that these files name at their top. */
const loadedByServe = /^(main|(cli|config|app|serve-command)-\w+)\.js$/

const staticImport = /^import\s(?:[^"'();]*\sfrom\s)?"([^"]+)";/gm

/** The comment that the bundle has before each module of a package. */
const bundledPackage = /^\/\/ node_modules\/((?:@[\w-]+\/)?[\w-]+)\//gm

test('a start loads no package that only some requests need, and none for a store that is not used', () => {
  const files = new Set(readdirSync(build).filter((name) => loadedByServe.test(name)))
  const packages = new Set<string>()
  const bundled = new Set<string>()
  const commonPassword = /"qwertyuiop"/
  for (const file of files) {
    const text = readFileSync(new URL(file, build), 'utf8')
    assert.doesNotMatch(text, commonPassword, file)
    for (const [, name = ''] of text.matchAll(bundledPackage)) bundled.add(name)
    for (const [, name = ''] of text.matchAll(staticImport)) {
      if (name.startsWith('./')) files.add(name.slice(2))
      else packages.add(name)
    }
  }
  assert.ok(files.size > 10, [...files].join())
  // Those that every start needs are bundled; SQLite is native code.
  assert.deepEqual([...packages], ['better-sqlite3'])
  assert.ok(bundled.has('fastify'), [...bundled].join())
  assert.ok(!bundled.has('pg'), 'pg is needed on PostgreSQL alone')
  const scripts = readdirSync(build).filter((name) => name.endsWith('.js'))
  assert.ok(scripts.some((name) => commonPassword.test(readFileSync(new URL(name, build), 'utf8'))))
})

test('V8 keeps the bundle in one byte for each character: it has only ASCII', () => {
  for (const name of readdirSync(build).filter((each) => each.endsWith('.js')))
    assert.doesNotMatch(readFileSync(new URL(name, build), 'utf8'), /[^\0-\x7f]/, name)
})
