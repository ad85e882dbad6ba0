import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { appendFile, cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** A checkout with the parts that a test needs. */
async function checkout(...parts: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-web-'))
  for (const part of parts) await cp(root + part, join(folder, part), { recursive: true })
  await symlink(`${root}node_modules`, join(folder, 'node_modules'))
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

test('a build keeps the files of the one before, and no older ones', async () => {
  await using copy = await checkout('web', 'src/common', 'build.mjs', 'package-lock.json', 'package.json')
  const build = async () => {
    const { status, stderr } = spawnSync(process.execPath, [join(copy.folder, 'web/build.ts')], {
      encoding: 'utf8',
    })
    assert.equal(status, 0, stderr)
    return JSON.parse(await readFile(join(copy.folder, 'build/web/manifest.json'), 'utf8'))
  }
  const change = (rule: string) => appendFile(join(copy.folder, 'web/styles/base.css'), rule)
  const has = (file: string) =>
    readFile(join(copy.folder, 'build/web', `${file}.br`)).then(
      () => true,
      () => false,
    )

  const first = await build()
  assert.deepEqual(await build(), first)
  await change('.first { color: red }')
  const second = await build()
  assert.notEqual(second.sources, first.sources)
  assert.notEqual(second.names['site.css'], first.names['site.css'])
  assert.equal(second.names['start.js'], first.names['start.js'])
  assert.deepEqual(second.filesBefore, first.files)
  assert.ok(await has(first.names['site.css']))
  await change('.second { color: red }')
  const third = await build()
  assert.deepEqual(third.filesBefore, second.files)
  assert.deepEqual(await Promise.all([first, second, third].map(({ names }) => has(names['site.css']))), [
    false,
    true,
    true,
  ])
})

test('a server without the files for browsers does not start, and names the command that builds them', async () => {
  await using copy = await checkout('build', 'package.json')
  await rm(join(copy.folder, 'build/web'), { recursive: true })
  await mkdir(join(copy.folder, 'data'))
  const { status, stderr } = spawnSync(process.execPath, [join(copy.folder, 'build/main.js'), 'serve'], {
    cwd: copy.folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, SERVICE_LISTEN: '127.0.0.1:1', SERVICE_LOG_LEVEL: 'silent' },
  })
  assert.equal(status, 1)
  assert.match(stderr, /The files for browsers are missing in build\/web\. Build them: node boot\.mjs web/)
})
