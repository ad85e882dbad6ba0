import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, test } from 'vitest'
import { endOfSession } from '../../src/accounts/sessions/session-times.ts'
import { siteTableNames } from '../../src/db/tables.ts'
import { pageRoutes } from '../../src/pages/page-list.ts'
import { faultOfTestLink } from '../support/project/test-links.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string) => readFileSync(root + path, 'utf8')
const text = read('docs/security.md')
const sources = globSync('{src,web}/**/*.{ts,tsx}', { cwd: root, exclude: ['**/node_modules/**'] }).map(
  (path) => ({ path, code: withoutComments(read(path)) }),
)

function withoutComments(code: string): string {
  return code.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
}

interface Row {
  id: string
  requirement: string
  level: string
  verdict: string
}

const rowsOf = (document: string): Row[] =>
  [...document.matchAll(/^\| (V[\d.]+) \| ([^|]*) \| ([^|]*) \| ([^|]*) \|$/gm)].map(
    ([, id = '', requirement = '', level = '', verdict = '']) => ({ id, requirement, level, verdict }),
  )

/** What is wrong with a verdict; undefined if nothing is. */
function faultOf(verdict: string): string | undefined {
  const [, kind, rest = ''] = /^(met|not applicable|open): (.*)$/.exec(verdict) ?? []
  if (kind === undefined) return 'neither met, not applicable nor open'
  if (kind !== 'met') return /^[A-Z].{10,}\.$/.test(rest) ? undefined : 'no reason'
  return faultOfTestLink(rest)
}

describe('the table of ASVS 5.0 in docs/security.md', () => {
  const rows = rowsOf(text)

  test('has every requirement of levels 1 and 2 once, in the order of the standard', () => {
    const ofLevel = (level: string) => rows.filter((row) => row.level === level).length
    assert.deepEqual([rows.length, ofLevel('1'), ofLevel('2')], [253, 70, 183])
    assert.equal(new Set(rows.map(({ id }) => id)).size, 253)
    // Of the lines "V1.1.1 2" and so on, as OWASP's CSV of 5.0.0 has them without level 3.
    const listed = hash('sha256', rows.map(({ id, level }) => `${id} ${level}`).join('\n'))
    assert.equal(listed, '3765ed9541ee1523694f731f53d3201978aa23cf9cac70481d40476d8a2d1e27')
  })

  test('names a test that there is, or a reason', () => {
    const faults = rows.flatMap(({ id, verdict }) => {
      const fault = faultOf(verdict)
      return fault === undefined ? [] : [`${id}: ${fault}`]
    })
    assert.deepEqual(faults, [])
  })

  test('says in other words what is asked for, and how many rows have which verdict', () => {
    for (const { id, requirement } of rows) {
      assert.ok(requirement.length > 10 && requirement.length < 110, id)
      assert.doesNotMatch(requirement, /^Verify|\bmet\b|\bopen\b|not applicable|`/, id)
    }
    for (const level of ['1', '2']) {
      const count = (kind: string) =>
        rows.filter((row) => row.level === level && row.verdict.startsWith(`${kind}:`)).length
      const counted = ['met', 'not applicable', 'open'].map(count)
      const all = counted.reduce((sum, each) => sum + each, 0)
      assert.ok(text.includes(`\n| ${level} | ${counted.join(' | ')} | ${all} |\n`), `${level}: ${counted}`)
    }
  })

  test('and a row without its test or its reason is noticed', () => {
    const link = '([docs-security](../test/unit/docs-security.test.ts))'
    assert.equal(faultOf(`met: \`names a test that there is, or a reason\` ${link}`), undefined)
    assert.equal(faultOf(`met: \`a test that nobody wrote\` ${link}`), 'no test "a test that nobody wrote"')
    assert.equal(faultOf('met: `names a test` ([none](../test/unit/none.test.ts))'), 'no file of tests')
    assert.equal(faultOf('met'), 'neither met, not applicable nor open')
    assert.equal(faultOf('open: Later'), 'no reason')
    assert.equal(faultOf('not applicable: '), 'no reason')
  })
})

/** The part of a document below a heading. */
const sectionOf = (heading: string): string => {
  const [, section = ''] = text.split(`\n## ${heading}\n`)
  assert.notEqual(section, '', heading)
  return section.split('\n## ', 1).join()
}

const missingIn = (section: string, names: Iterable<string>) =>
  [...new Set(names)].filter((name) => !section.includes(`\`${name}\``))

const settings = () =>
  [...read('docs/configuration.md').matchAll(/^\| `(SERVICE_\w+)`/gm)].map(([, name = '']) => name)

describe('docs/security.md', () => {
  test('lists every key and algorithm of the code', () => {
    const section = sectionOf('Keys and algorithms')
    const named = sources.flatMap(({ code }) => [
      ...code.matchAll(/\b(?:create(?:Hash|Hmac|Cipheriv)|hash)\(\s*'([\w-]+)'/g),
    ])
    const algorithms = named.map(([, algorithm = '']) => algorithm)
    assert.ok(algorithms.length > 20)
    assert.deepEqual(missingIn(section, algorithms), [])
    const purposes = /type SiteKeyPurpose =([^\n]*\n(?: {2}\|[^\n]*\n)*)/.exec(read('src/site/site-key.ts'))
    const keys = [...(purposes?.[1] ?? '').matchAll(/'([^']+)'/g)].map(([, name = '']) => name)
    assert.ok(keys.length >= 7)
    assert.deepEqual(missingIn(section, keys), [])
    assert.ok(missingIn(section, ['aes-128-ecb']).length === 1)
  })

  test('names every way to authenticate, with its limits', () => {
    const section = sectionOf('Ways to authenticate')
    const doors = pageRoutes.filter(({ path, isForGuests }) => isForGuests || path.startsWith('/connect/'))
    const ofGuests = doors.filter(({ access }) => access === 'anyone').map(({ path }) => path)
    assert.ok(ofGuests.includes('/login/passkey'))
    assert.deepEqual(
      missingIn(section, ofGuests).filter((path) => path !== '/connect/{provider}/account'),
      [],
    )
  })

  test('gives the lifetimes of sessions as the code has them', () => {
    const day = 86_400_000
    const createdAt = new Date(0)
    const lasts = (isLasting: boolean, usedAt: number) =>
      endOfSession({ isLasting, createdAt }, new Date(usedAt)).getTime() - usedAt
    const [short, long] = [lasts(false, 0) / 3_600_000, lasts(true, 0) / day]
    const longest = endOfSession({ isLasting: true, createdAt }, new Date(175 * day)).getTime() / day
    const section = sectionOf('Sessions')
    for (const part of [`${short} hours`, `${long} days`, `${longest} days`, 'any number of sessions'])
      assert.ok(section.includes(part), part)
  })

  test('classifies the data of every table', () => {
    const control = [...read('src/db/control-tables.ts').matchAll(/^ {2}(\w+): \{/gm)].map(
      ([, name = '']) => name,
    )
    assert.ok(control.length > 5)
    assert.deepEqual(missingIn(sectionOf('Data and its protection'), [...siteTableNames, ...control]), [])
  })

  test('lists every setting that names a host', () => {
    const hosts = settings().filter((name) => /_(URL|ALLOW|SERVERS)$/.test(name))
    assert.ok(hosts.length >= 6)
    assert.deepEqual(missingIn(sectionOf('Outgoing connections'), hosts), [])
  })

  test('names the settings that bound costly work', () => {
    const bounds =
      /_(RATE_\w+|MAX_(UPLOAD_SIZE|PIXELS|OPEN_UPLOADS)|\w*BYTES\w*|\w+_STALL_SECONDS|READERS_\w+)$/
    const bounding = settings().filter((name) => bounds.test(name))
    assert.ok(bounding.length >= 11)
    assert.deepEqual(missingIn(sectionOf('Costly work'), bounding), [])
  })

  test('lists the logs, and no source writes to another one', () => {
    const section = sectionOf('Logs')
    for (const log of ['server log', 'audit log', 'metrics']) assert.ok(section.includes(`| ${log}`), log)
    const writers = sources.filter(({ code }) => /\bconsole\.\w+\(|\bpino\(|'node:syslog'/.test(code))
    // The build is a program of its own.
    assert.deepEqual(writers.map(({ path }) => path).sort(), ['src/app.ts', 'web/build.ts'])
  })
})

test('no source runs text as code', () => {
  const runs = /\beval\(|\bnew Function\(|'node:vm'|\.innerHTML\b|\binsertAdjacentHTML\(|\bdocument\.write\(/
  assert.deepEqual(
    sources.filter(({ code }) => runs.test(code)).map(({ path }) => path),
    [],
  )
})

test('nothing that must not be guessed comes from Math.random', () => {
  // The pause before another attempt at a bucket.
  assert.deepEqual(
    sources.filter(({ code }) => /\bMath\.random\(/.test(code)).map(({ path }) => path),
    ['src/storage/bucket/client.ts'],
  )
})

test('SECURITY.md says how to report, and by when we answer and update', () => {
  const policy = read('SECURITY.md')
  for (const part of [
    'Report',
    'scope',
    'Supported versions',
    'Safe harbour',
    'private',
    'Updates of packages',
  ])
    assert.ok(policy.includes(part), part)
  assert.match(policy, /within \d+ (working )?days/)
  assert.doesNotMatch(policy, /[\w.]+@[\w.]+\.\w+/)
})
