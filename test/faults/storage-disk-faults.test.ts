import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, test } from 'vitest'
import { callsOf, operationOf } from '../support/faults/system-calls.ts'
import { needing } from '../support/needs.ts'
import { pathOfProgram } from '../support/run/test-programs.ts'

const driver = pathOfProgram('storage-driver.ts')
const folders = ['files/photos', 'files/photos/day']
const names = ['cat.jpg', 'cat.md.jpg', 'cat.th.jpg']
/** What the two puts of the driver take; fewer would mean that some were not tried. */
const callsAtLeast: Record<string, number> = { fsync: 10, link: 6, unlink: 6, mkdir: 2, fchmod: 6, openat: 9 }
const traced = await needing('strace')

let home = ''
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'terrace-faults-'))
  await mkdir(join(home, 'fresh/files'), { recursive: true })
  for (const round of ['1', '2']) {
    for (const name of names)
      await writeFile(join(home, 'fresh', `${round}-${name}`), textOf(`${round}-${name}`))
  }
})
afterAll(() => rm(home, { recursive: true }))

traced.describe('a put, system call by system call', () => {
  test('bytes are durable before they have a name, and names before the put is done', async () => {
    const { lines, outcomes, folder } = await drive([
      '-e',
      `trace=${callsOf(['fsync', 'link', 'mkdir', 'unlink'])}`,
      '-y',
    ])
    assert.equal(outcomes, 'done done done')
    const steps = lines.filter((line) => line.endsWith('= 0')).map((line) => stepOf(line, folder))
    const moved = (round: string) => [
      names.map((name) => `fsync ${round}-${name}`),
      ['mkdir files/photos', 'fsync files', 'mkdir files/photos/day', 'fsync files/photos'],
      names.map((name) => `link files/photos/day/${round}-${name}`),
      ['fsync files/photos/day'],
      names.map((name) => `unlink ${round}-${name}`),
    ]
    const [bytes, folders, ...rest] = moved('1')
    const [bytesAgain, , ...restAgain] = moved('2')
    const check = 'unlink files/.check'
    assert.deepEqual(steps, [bytes, folders, ...rest, bytesAgain, ...restAgain, check].flat())
    // Three files into a folder that is known: four.
    assert.equal(steps.filter((step) => step.startsWith('fsync')).length, 6 + 4)
  })

  const faults = [
    { call: 'fsync', error: 'EIO', code: 'storage-broken' },
    { call: 'fsync', error: 'ENOSPC', code: 'disk-full' },
    { call: 'link', error: 'ENOSPC', code: 'disk-full' },
    { call: 'link', error: 'EROFS', code: 'storage-unavailable' },
    { call: 'link', error: 'EEXIST', code: 'key-taken' },
    { call: 'mkdir', error: 'EACCES', code: 'storage-unavailable' },
    { call: 'mkdir', error: 'EDQUOT', code: 'disk-full' },
    { call: 'fchmod', error: 'EIO', code: 'storage-unavailable' },
    { call: 'openat', error: 'EMFILE', code: 'storage-unavailable' },
  ]
  test.each(faults)('$error at each $call is reported as $code, and leaves nothing behind', async (fault) => {
    const { call, error, code } = fault
    let count = 0
    for (let number = 1; ; number++) {
      const { outcomes, lines, folder } = await drive(
        [`-einject=${callsOf([call])}:error=${error}:when=${number}`],
        call,
      )
      if (!lines.some((line) => line.includes('INJECTED'))) break
      count += 1
      const [first, second, health] = outcomes.split(' ')
      const failed = first === 'done' ? '2' : '1'
      assert.equal(failed === '1' ? first : second, `Refusal:${code}`, `${call} ${number}`)
      const isBroken = code === 'storage-broken'
      assert.equal(health, isBroken ? 'Refusal:storage-broken' : 'done')
      // The next put succeeds, but for one over bytes that the disk has lost.
      if (failed === '1') assert.equal(second, isBroken ? 'Refusal:storage-broken' : 'done')

      const whole = [first, second].flatMap((outcome, index) => (outcome === 'done' ? [`${index + 1}`] : []))
      assert.deepEqual(
        await placed(folder),
        whole.flatMap((round) => names.map((name) => `${round}-${name}`)),
      )
    }
    assert.ok(count >= (callsAtLeast[call] ?? 0), `${call} was met ${count} times`)
  })

  test.each(['fsync', 'link', 'unlink'])('killed at each %s, no name has half a file', async (call) => {
    let count = 0
    for (let number = 1; ; number++) {
      const { outcomes, folder } = await drive(
        [`-einject=${callsOf([call])}:signal=SIGKILL:when=${number}`],
        call,
      )
      const left = await placed(folder)
      if (outcomes !== '') break
      count += 1
      // The next start needs no help: names that nobody was told of are taken, all others are free.
      await rm(join(folder, 'files/photos/day'), { recursive: true, force: true })
      await cp(join(home, 'fresh'), folder, { recursive: true })
      const { stdout } = await promisify(execFile)(process.execPath, [driver, folder])
      assert.equal(stdout.trim(), 'done done done', left.join())
    }
    assert.ok(count >= (callsAtLeast[call] ?? 0), `${call} was met ${count} times`)
  })
})

async function drive(options: string[], call?: string) {
  const place = await mkdtemp(join(home, 'run-'))
  await cp(join(home, 'fresh'), place, { recursive: true })
  const log = join(home, 'trace.log')
  const paths = [...folders, ...names.flatMap((name) => [`1-${name}`, `2-${name}`])]
  // Node opens much else, and opening the storage looks for its root, so that only what is in the storage counts.
  const filter = call === 'openat' || call === 'mkdir' ? paths.map((path) => `-P${join(place, path)}`) : []
  const words = [
    '-f',
    '-qq',
    '-o',
    log,
    ...(call ? [`-etrace=${callsOf([call])}`] : []),
    ...filter,
    ...options,
  ]
  // The calls of each thread are counted for themselves, so that one thread makes them all.
  const env = { ...process.env, UV_THREADPOOL_SIZE: '1' }
  const run = promisify(execFile)('strace', [...words, process.execPath, driver, place], { env })
  const { stdout } = await run.catch((error: { stdout: string }) => error)
  const lines = (await readFile(log, 'utf8')).trim().split('\n')
  return { outcomes: stdout.trim(), lines, folder: place }
}

/** The names that are there, each of them seen to have its whole text. */
async function placed(folder: string): Promise<string[]> {
  const day = join(folder, 'files/photos/day')
  const found = await readdir(day).catch(() => [])
  for (const name of found) assert.equal(await readFile(join(day, name), 'utf8'), textOf(name))
  return found.sort()
}

function textOf(name: string): string {
  return `${name} `.repeat(5_000)
}

function stepOf(line: string, folder: string): string {
  const [, call = '', words = ''] = /^\d+ +(\w+)\((.*)\) += 0/.exec(line) ?? []
  const path = words
    .replaceAll(/AT_FDCWD<[^>]*>/g, '')
    .replace(/^\d+</, '')
    .replace(/>$/, '')
    .split(', ')
    .findLast((word) => word.includes('/'))
  return `${operationOf(call)} ${path?.replaceAll('"', '').replace(`${folder}/`, '')}`
}
