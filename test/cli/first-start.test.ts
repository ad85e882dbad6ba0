import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { PRODUCTION_FLAGS } from '../../boot.mjs'
import { freePort, sendRequest } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { freshInstallation, type Installation } from '../support/tool.ts'
import { until } from '../support/until.ts'

const main = fileURLToPath(new URL('../../build/main.js', import.meta.url))
const atTerminal = await needing('linux', 'script')

/** Serves in a terminal of its own, until Ctrl-C is typed there. */
async function firstStart(
  columns: number,
  look: (shown: string, port: number, installation: Installation) => Promise<void>,
) {
  await using installation = await freshInstallation()
  const port = await freePort()
  const serve = [process.execPath, ...PRODUCTION_FLAGS, main, 'serve'].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qefc', `stty cols ${columns}; exec ${serve}`, '/dev/null'], {
    env: {
      PATH: process.env.PATH ?? '',
      TERM: 'xterm-256color',
      ...installation.settings,
      PORT: String(port),
    },
  })
  const closed = once(child, 'close')
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (shown += chunk))
  try {
    await until(() => shown.includes('To stop: Ctrl-C.') || child.exitCode !== null, 'the first start')
    await look(shown.replaceAll('\r\n', '\n'), port, installation)
    child.stdin.write('\x03')
    assert.deepEqual(await closed, [0, null], shown)
  } finally {
    child.kill('SIGKILL')
  }
}

atTerminal.test(
  'at a terminal the first start shows a framed table, colours and next steps',
  async () => {
    await firstStart(200, async (shown, port, installation) => {
      const text = stripVTControlCharacters(shown)
      assert.ok(shown.includes('\x1b[32m') && shown.includes('\x1b[36m'), 'colours')
      const rows = [...text.matchAll(/^│ (.*?) +│ (.*?) +│$/gm)].map(([, label, value]) => [label, value])
      assert.deepEqual(
        rows.map(([label]) => label),
        ['Site', 'Admin', 'Password', 'Upload key', 'Management key', 'Signing secret', 'Console'],
      )
      assert.equal(rows[0]?.[1], `http://localhost:${port}/`)
      const frame = text.split('\n').filter((line) => /^[┌│└]/.test(line))
      assert.equal(new Set(frame.map((line) => line.length)).size, 1, 'every line of the frame has one width')
      for (const part of [
        'Set up the account "operator" of the console; the link works once, for 24 hours:',
        'Next steps',
        'bin/tenants create --id cats',
        'bin/tenants install --id cats',
        '_/docs',
      ])
        assert.ok(text.includes(part), part)
      const commands = [...text.matchAll(/^ {2}bin\/(tenants .*)$/gm)].map(([, line = '']) => line)
      for (const line of commands) {
        const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')
        const { code, err } = await installation.run(...words)
        assert.equal(code, 0, err)
      }
      const own = await sendRequest(port, 'GET', '/', { headers: { host: `cats.localhost:${port}` } })
      assert.deepEqual([commands.length, own.status], [2, 200])
      // The address that is shown, and the one that people type.
      for (const host of [`localhost:${port}`, `127.0.0.1:${port}`]) {
        const { status, text: page } = await sendRequest(port, 'GET', '/', { headers: { host } })
        assert.deepEqual(
          [status, /class="brand" [^>]*>.*?<span[^>]*>([^<]*)<\/span>/.exec(page)?.[1]],
          [200, 'localhost'],
          host,
        )
      }
    })
  },
  60_000,
)

atTerminal.test(
  'in a terminal that is too narrow for the table its rows are shown without a frame',
  async () => {
    await firstStart(50, async (shown) => {
      const text = stripVTControlCharacters(shown)
      assert.ok(!/[┌│└]/.test(text))
      assert.match(text, /^ {2}Site {12}http:\/\/localhost:\d+\/$/m)
      assert.match(text, /^ {2}Password {8}\S+$/m)
    })
  },
  60_000,
)
