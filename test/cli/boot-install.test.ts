import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { needing } from '../support/needs.ts'

const boot = fileURLToPath(new URL('../../boot.mjs', import.meta.url))
const installing = await needing('npm')

/** A clone with one package, whose install script cannot succeed: it wants a compiler that is not there. */
function cloneWithFailingScript(): string {
  const folder = mkdtempSync(join(tmpdir(), 'terrace-clone-'))
  cpSync(boot, join(folder, 'boot.mjs'))
  writeFileSync(join(folder, 'main.mjs'), `console.log('served', process.argv.slice(2).join())`)
  writeFileSync(
    join(folder, 'build.mjs'),
    `export const buildProgram = async () => ${JSON.stringify(join(folder, 'main.mjs'))}\nexport const isWebBuilt = () => true\n`,
  )
  mkdirSync(join(folder, 'native'))
  const script = 'touch ran && exit 1'
  const native = { name: 'native', version: '1.0.0', scripts: { install: script, postinstall: script } }
  writeFileSync(join(folder, 'native/package.json'), JSON.stringify(native))
  const own = { name: 'clone', version: '1.0.0', type: 'module', dependencies: { native: 'file:native' } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(own))
  const packages = {
    '': own,
    native: { version: '1.0.0', hasInstallScript: true },
    'node_modules/native': { resolved: 'native', link: true },
  }
  const lockfile = { name: 'clone', version: '1.0.0', lockfileVersion: 3, requires: true, packages }
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lockfile))
  return folder
}

installing.test(
  'the first start runs no install script, so that it needs no compiler on the machine',
  { timeout: 300_000 },
  () => {
    const folder = cloneWithFailingScript()
    try {
      const words = [join(folder, 'boot.mjs'), 'serve']
      const { status, stdout, stderr } = spawnSync(process.execPath, words, {
        encoding: 'utf8',
        env: { PATH: process.env.PATH, HOME: folder },
      })
      assert.deepEqual([status, stdout.trim()], [0, 'served serve'], stderr)
      assert.ok(existsSync(join(folder, 'node_modules/native/package.json')), 'the package is installed')
      assert.ok(!existsSync(join(folder, 'native/ran')), 'its script did not run')
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
)
