import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe } from 'vitest'
import { processes } from '../support/faults/processes.ts'
import { freePort } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { until } from '../support/until.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const onLinux = await needing('linux')
const byNpm = await needing('linux', 'npm')
const run = promisify(execFile)

async function withFolder(look: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-starter-'))
  try {
    await look(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Serves on a data folder of its own until the look is over; its process is the program or has started it. */
const whileServing = (
  program: string,
  words: string[],
  look: (started: ChildProcess) => Promise<void>,
): Promise<void> =>
  withFolder(async (folder) => {
    const child = spawn(program, words, {
      cwd: root,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: folder,
        SERVICE_DATA_DIR: join(folder, 'data'),
        SERVICE_LISTEN: `127.0.0.1:${await freePort()}`,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
      // A group of its own, which ends with the test whatever became of it.
      detached: true,
    })
    let printed = ''
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      printed += chunk
    })
    try {
      await until(() => /To stop|^ {2}curl /m.test(printed) || child.exitCode !== null, 'the server')
      await look(child)
    } finally {
      if (processes().some(({ group }) => group === child.pid)) process.kill(-(child.pid ?? 0), 'SIGKILL')
    }
  })

const serverBelow = ({ pid }: ChildProcess) =>
  processes().find((each) => each.parent === pid && each.words.includes('build/main.js serve'))

describe('bin/terrace', () => {
  onLinux.test('becomes the server: no process waits for it, and its signals are those of the server', () =>
    whileServing(join(root, 'bin/terrace'), ['serve'], async (started) => {
      const own = processes().find(({ pid }) => pid === started.pid)
      assert.match(own?.words ?? '', /build\/main\.js serve/)
      started.kill('SIGTERM')
      assert.deepEqual(await once(started, 'exit'), [0, null])
    }),
  )

  onLinux.test('runs by a link from elsewhere, and ends with the exit code of the program', () =>
    withFolder(async (folder) => {
      const tenants = join(folder, 'tenants')
      await symlink(join(root, 'bin/tenants'), tenants)
      assert.match((await run(tenants, ['--help'])).stdout, /^Usage: tenants/m)
      await assert.rejects(run(tenants, ['lst']), { code: 2 })
    }),
  )

  onLinux.test('takes the Node of the machine where no package has one for this platform', () =>
    withFolder(async (folder) => {
      await cp(join(root, 'bin'), join(folder, 'bin'), { recursive: true })
      await writeFile(join(folder, 'boot.mjs'), 'console.log(JSON.stringify(process.argv.slice(2)))')
      const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` }
      const { stdout } = await run(join(folder, 'bin/tenants'), ['list', 'a b'], { env })
      assert.deepEqual(JSON.parse(stdout), ['--', 'tenants', 'list', 'a b'])
    }),
  )
})

byNpm.test('npm start has the server as its child, and ends it with its own SIGTERM', () =>
  whileServing('npm', ['start'], async (started) => {
    const server = serverBelow(started)
    assert.ok(server, 'no shell is between them')
    started.kill('SIGTERM')
    await once(started, 'exit')
    await until(() => !existsSync(`/proc/${server.pid}`), 'the end of the server')
  }),
)
