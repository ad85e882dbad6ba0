import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, test } from 'vitest'
import { PRODUCTION_FLAGS } from '../../boot.mjs'
import { needing } from '../support/needs.ts'
import { freshInstallation, type Installation, runHere } from '../support/tool.ts'
import { until } from '../support/until.ts'

const main = fileURLToPath(new URL('../../build/main.js', import.meta.url))
const atTerminal = await needing('linux', 'script')
const cats = ['--id', 'cats']
const install = ['tenants', 'install', ...cats, '--username', 'ada', '--email', 'ada@example.com']

async function withCats(): Promise<Installation> {
  const installation = await freshInstallation()
  await installation.json('tenants', 'create', ...cats, '--hostname', 'cats.test')
  return installation
}

describe('a password', () => {
  test('is read from standard input without its last line break', async () => {
    await using installation = await withCats()
    const { settings } = installation
    const installed = await runHere([...install, '--password-stdin'], settings, { input: 'a  long one \n' })
    assert.equal(installed.code, 0, installed.err)
    const reset = ['tenants', 'password-reset', ...cats, '--username', 'ada', '--password-stdin', '--json']
    const { out } = await runHere(reset, settings, { input: ' another password\n' })
    assert.equal(JSON.parse(out).password, ' another password')
  })

  test('must be given once: as an option or on standard input', async () => {
    await using installation = await withCats()
    const faults = {
      '--password TEXT is required; --password-stdin reads it from standard input.': [],
      '--password-stdin: standard input is empty.': ['--password-stdin'],
    }
    for (const [fault, words] of Object.entries(faults)) {
      const { code, err } = await installation.run(...install, ...words)
      assert.deepEqual([code, err.includes(fault)], [2, true], err)
    }
    const twice = [...install, '--password', 'a long password', '--password-stdin']
    const { code, err } = await runHere(twice, installation.settings, { input: 'another password' })
    assert.deepEqual([code, err.includes('--password is given twice.')], [2, true], err)
  })
})

/** Runs the tool at a terminal of its own, and types an answer for each question. */
async function typed(installation: Installation, words: readonly string[], answers: readonly string[]) {
  const line = [process.execPath, ...PRODUCTION_FLAGS, main, ...words].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qefc', `exec ${line}`, '/dev/null'], {
    env: { PATH: process.env.PATH ?? '', TERM: 'xterm', ...installation.settings },
  })
  const closed = once(child, 'close')
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (shown += chunk))
  for (const [index, answer] of answers.entries()) {
    const questions = () => shown.match(/New password: |Repeat it: /g)?.length ?? 0
    await until(() => questions() > index || child.exitCode !== null, 'the question')
    child.stdin.write(`${answer}\r`)
  }
  const [code] = await closed
  return { code, shown }
}

atTerminal.test('at a terminal a missing password is asked for twice, and is not shown', async () => {
  await using installation = await withCats()
  const answers = ['a long password', 'a wrong password', 'a long password', 'a long password']
  const { code, shown } = await typed(installation, install, answers)
  assert.equal(code, 0, shown)
  assert.match(shown, /They differ\. Try again\./)
  assert.match(shown, /upload key/)
  assert.ok(!shown.includes('a long password'), shown)
})

atTerminal.test('at a terminal other faults are named before the password is asked for', async () => {
  await using installation = await withCats()
  const { code, shown } = await typed(installation, ['tenants', 'install', ...cats], [])
  assert.equal(code, 2, shown)
  assert.match(shown, /--username NAME is required/)
  assert.doesNotMatch(shown, /New password/)
  const short = ['tenants', 'install', ...cats, '--username', 'a', '--email', 'ada']
  const refused = await typed(installation, short, [])
  assert.equal(refused.code, 1, refused.shown)
  assert.match(refused.shown, /username.* must be 3 to 32 of/)
  assert.match(refused.shown, /email/)
  assert.doesNotMatch(refused.shown, /New password/)
})

test('the help says that a missing password is asked for', async () => {
  const { out } = await runHere(['tenants', 'install', '--help'], {})
  assert.match(out, /Usage: tenants install --id ID --username NAME --email ADDRESS \[OPTIONS\]/)
  assert.match(out, /--password TEXT .* \(asked for at a terminal if it is missing\)/)
  const { out: reset } = await runHere(['tenants', 'password-reset', '--help'], {})
  assert.doesNotMatch(reset, /asked for/)
})
