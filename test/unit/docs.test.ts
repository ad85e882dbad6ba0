import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, test } from 'vitest'
import { needing } from '../support/needs.ts'

const tools = await needing('openssl', 'curl')

import { commands } from '../../src/cli/commands.ts'
import { programOf } from '../../src/cli/help.ts'
import { readConfig } from '../../src/config.ts'
import { requestSecretPath } from '../../src/control/index.ts'
import { routes } from '../../src/routes.ts'
import { defaultValues, renamedValues } from '../../src/site/index.ts'
import { startTestApp } from '../support/harness.ts'
import { freshInstallation, type Installation, runHere } from '../support/tool.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string) => readFileSync(root + path, 'utf8')
const documents = new Map(globSync('{*.md,docs/**/*.md}', { cwd: root }).map((path) => [path, read(path)]))
const textOf = (path: string) => documents.get(path) ?? ''

interface Block {
  language: string
  more: string
  text: string
}

function blocksOf(path: string): Block[] {
  return [...textOf(path).matchAll(/^```(\w*)(.*)\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', more = '', text = '']) => ({ language, more, text }),
  )
}

const headingsOf = (path: string) =>
  [...textOf(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading)

describe('the documents', () => {
  test('are all there', () => {
    const apis = ['api-tenants', 'api-upload', 'api-media']
    const docs = ['README', 'configuration', ...apis, 'cli', 'operations', 'scaling', 'decisions/README']
    const wanted = ['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', ...docs.map((name) => `docs/${name}.md`)]
    assert.deepEqual(
      wanted.filter((path) => textOf(path).trim() === ''),
      [],
    )
  })

  test('lead nowhere that is not there', () => {
    const broken = [...documents].flatMap(([path, text]) =>
      linksOf(text)
        .filter((link) => !isFound(path, link))
        .map((link) => `${path}: ${link}`),
    )
    assert.deepEqual(broken, [])
    assert.equal(isFound('README.md', 'docs/none.md'), false)
    assert.equal(isFound('README.md', 'docs/cli.md#none'), false)
  })

  test('are all linked from their index', () => {
    for (const folder of ['docs/', 'docs/decisions/']) {
      const linked = linksOf(textOf(`${folder}README.md`)).map((link) => link.split('#')[0])
      const beside = globSync('*.md', { cwd: root + folder }).filter((name) => name !== 'README.md')
      assert.deepEqual(
        beside.filter((name) => !linked.includes(name)),
        [],
        folder,
      )
    }
  })

  test('are short where one begins, and name the two commands', () => {
    assert.ok(linesOf('README.md') < 80)
    assert.ok(linesOf('ARCHITECTURE.md') < 150)
    for (const command of ['npm start', 'npm test']) assert.ok(textOf('README.md').includes(command))
  })

  test('name no setting that there is not', () => {
    const known = settingsRead().union(new Set(renamedValues.keys()))
    for (const [path, text] of documents) {
      const named = [...text.matchAll(/\bSERVICE_\w*[A-Z0-9]\b(?!_)/g)].map(([name]) => name)
      assert.deepEqual(
        named.filter((name) => !known.has(name)),
        [],
        path,
      )
    }
  })
})

const linksOf = (text: string) =>
  [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^https?:/.test(link))

function isFound(from: string, link: string): boolean {
  const [file = '', anchor] = link.split('#')
  const target = file === '' ? from : posix.join(posix.dirname(from), file)
  if (!existsSync(root + target)) return false
  return anchor === undefined || headingsOf(target).map(slugOf).includes(anchor)
}

const slugOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

const linesOf = (path: string) => textOf(path).trimEnd().split('\n').length

/** The names that are looked up when the settings are read. */
function settingsRead(): ReadonlySet<string> {
  const names = new Set<string>()
  const environment = new Proxy({}, { get: (_target, name) => void names.add(String(name)) })
  readConfig(environment, '/')
  return names
}

describe('docs/configuration.md', () => {
  const rows = new Map(
    [...textOf('docs/configuration.md').matchAll(/^\| `([A-Z][A-Z0-9_]*)` \| (.*?) \|(.*)\|$/gm)].map(
      ([, name = '', usual = '', rest = '']) => [name, { usual, rest }],
    ),
  )

  test('has a row for every setting, and for nothing else', () => {
    assert.deepEqual([...rows.keys()].sort(), [...settingsRead()].sort())
  })

  test('gives a default, a form and an example of each', () => {
    for (const [name, { usual, rest }] of rows) {
      const cells = [usual, ...rest.split(' | ')].map((cell) => cell.trim())
      assert.deepEqual([cells.length, cells.includes('')], [3, false], name)
    }
  })

  /** Settings that others cannot do without. */
  const companions: Record<string, Record<string, string>> = {
    SERVICE_PURGE_URL: { SERVICE_PURGE_SECRET: `whsec_${'A'.repeat(32)}` },
  }

  test('has examples that are taken', () => {
    for (const [name, { rest }] of rows) {
      const example = rest.split(' | ').at(-1) ?? ''
      // The others say how to make one.
      if (!/^ *`[^`]*`(, `[^`]*`)* *$/.test(example)) continue
      for (const [, value] of example.matchAll(/`([^`]*)`/g))
        readConfig({ ...companions[name], [name]: value }, '/')
    }
  })

  test('gives the defaults of a site’s values as they are', () => {
    for (const [name, value] of defaultValues)
      assert.equal(rows.get(name)?.usual, value === '' ? 'none' : `\`${value}\``, name)
  })
})

/** Takes away what is another at every run. */
const masked = (text: string) =>
  text
    .replaceAll(/trc_\w+/g, 'KEY')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, 'TIME')
    .replaceAll(/\d{4}-\d\d-\d\d/g, 'DAY')
    .replaceAll(/\b[A-Za-z0-9]{43}\b|\b[A-Za-z0-9]{22}\b|\b[A-Za-z0-9]{12}\b/g, 'RANDOM')
    .replaceAll(/:\d{4,5}\b/g, ':PORT')
    .replaceAll(/[ \t]+/g, ' ')
    .trimEnd()

describe('docs/cli.md', () => {
  const sections = new Map(
    textOf('docs/cli.md')
      .split(/^### /m)
      .slice(1)
      .map((section) => [/^`(.*)`/.exec(section)?.[1] ?? '', section]),
  )

  test('has a section for every command, and for nothing else', () => {
    assert.deepEqual([...sections.keys()].sort(), commands.map(programOf).sort())
  })

  test('names every option of every command', () => {
    for (const command of commands) {
      const section = sections.get(programOf(command)) ?? ''
      for (const name of Object.keys(command.options))
        assert.ok(section.includes(`--${name}`), `${command.name} --${name}`)
    }
  })
})

describe('what the documents show of the tool', () => {
  for (const path of ['docs/cli.md', 'docs/configuration.md']) {
    test(`is what it prints, in ${path}`, { timeout: 180_000 }, async () => {
      await using installation = await freshInstallation()
      const keys = new Map<string, string>()
      for (const { more, text } of blocksOf(path).filter(({ language }) => language === 'console')) {
        for (const [line = '', ...shown] of text.split(/^\$ /m).slice(1).map(linesOfText)) {
          const { code, printed } = await runAtTerminal(installation, line, keys)
          assert.equal(masked(printed), masked(shown.join('\n')), line)
          assert.equal(code, Number(/exit=(\d)/.exec(more)?.[1] ?? 0), line)
          const [ours, theirs] = [keysIn(printed), keysIn(shown.join('\n'))]
          for (const [index, key] of theirs.entries()) keys.set(key, ours[index] ?? '')
        }
      }
    })
  }
})

const linesOfText = (text: string) => text.split('\n')
/** Whatever is another at every run and may be asked for in a later line: keys and ids. */
const keysIn = (text: string) => text.match(/trc_\w+|\b[A-Za-z0-9]{12}\b/g) ?? []

/** Nothing is cut at this width, however long the path of a temporary folder is. */
const wide = 300

async function runAtTerminal(installation: Installation, line: string, keys: ReadonlyMap<string, string>) {
  const words = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)]
    .map(([, single, double, bare]) => single ?? double ?? bare ?? '')
    .map((word) => keys.get(word) ?? word)
  const start = words.findIndex((word) => word === 'tenants' || word === 'terrace')
  const set = Object.fromEntries(words.slice(0, start).map((word) => word.split('=') as [string, string]))
  const called = words.slice(words[start] === 'terrace' ? start + 1 : start)
  const { code, out, err } = await runHere(
    called,
    { ...installation.settings, NO_COLOR: '1', ...set },
    { columns: wide },
  )
  // Progress is drawn over itself, and gone at the end.
  const errors = err.split('\r').at(-1)?.replace('\x1b[2K', '') ?? ''
  return { code, printed: (out + errors).replaceAll(installation.dataDir, '/tmp/terrace') }
}

describe('docs/api-tenants.md', () => {
  test('has a heading for every route, and for no other', () => {
    const named = [
      ...textOf('docs/api-tenants.md').matchAll(/\b(GET|POST|PATCH|DELETE|PUT) (\/_\/[^\s`*]*)/g),
    ]
    assert.deepEqual(
      [...new Set(named.map(([, method, path]) => `${method} ${path}`))].sort(),
      routes.map(({ method, path }) => `${method} ${path}`).sort(),
    )
  })

  tools.test('shows what its commands are answered with', async () => {
    await using app = await startTestApp()
    const blocks = blocksOf('docs/api-tenants.md')
    const script = blocks
      .filter(({ language }) => language === 'sh')
      .map(({ text }) => text)
      .join('\n')
      .replace(/^url=.*$/m, `url='http://127.0.0.1:${app.port}'`)
      .replace(/^key=.*$/m, `key='${app.key}'`)
      .replace(/^secret=.*$/m, `secret='${app.secret}'`)
    const { stdout } = await promisify(execFile)('bash', ['-euc', script])
    const answers = stdout.split(/(?=HTTP\/1\.1 \d)/).map((text) => readAnswer(text, '\r\n'))
    const shown = blocks
      .filter(({ language }) => language === 'http')
      .map(({ text }) => readAnswer(text, '\n'))
    for (const [index, { status, headers, body }] of shown.entries()) {
      const answer = answers[index]
      assert.deepEqual([answer?.status, answer?.body], [status, body])
      for (const header of headers) assert.ok(answer?.headers.includes(header), header)
    }
    assert.equal(answers.length, shown.length)
  })
})

function readAnswer(text: string, newline: string) {
  const [head = '', ...rest] = text.trimEnd().split(newline + newline)
  const [status = '', ...headers] = head.split(newline).map((line) => line.toLowerCase())
  const body = masked(rest.join(newline))
  return { status, headers, body: body === '' ? undefined : JSON.parse(body) }
}

test('CHANGELOG.md begins with what is not released, then this version', () => {
  const [unreleased, latest = ''] = headingsOf('CHANGELOG.md').slice(1)
  const { version } = JSON.parse(read('package.json'))
  const { version: locked, packages } = JSON.parse(read('package-lock.json'))
  assert.equal(unreleased, 'Unreleased')
  assert.match(latest, /^\d+\.\d+\.\d+ - \d{4}-\d\d-\d\d$/)
  assert.deepEqual([version, locked, packages[''].version], Array(3).fill(latest.split(' ')[0]))
})

describe('docs/operations.md', () => {
  test('names every metric', async () => {
    await using app = await startTestApp()
    const { text } = await app.send('GET', '/_/metrics')
    const names = [...text.matchAll(/^# HELP (\S+)/gm)].map(([, name = '']) => name)
    assert.ok(names.length > 10)
    const listed = textOf('docs/operations.md')
    assert.deepEqual(
      names.filter((name) => !listed.includes(`\`${name}\``)),
      [],
    )
  })
})

test('ARCHITECTURE.md shows every room, and the line that imports go down', () => {
  const [tree] = blocksOf('ARCHITECTURE.md')
  for (const entry of readdirSync(`${root}src`, { withFileTypes: true })) {
    const name = entry.isDirectory() ? `${entry.name}/` : entry.name
    assert.ok(tree?.text.includes(` ${name} `), name)
  }
  const floors = /FLOORS = \[([\s\S]*?)\n\]/.exec(read('test/unit/house.test.ts'))?.[1] ?? ''
  const line = [...floors.matchAll(/'([^']+)'/g)].map(([, floor]) => floor).join(' → ')
  assert.ok(textOf('ARCHITECTURE.md').includes(`\`${line}\``), line)
})

describe('docs/decisions', () => {
  const decisions = [...documents]
    .filter(([path]) => path.startsWith('docs/decisions/') && !path.endsWith('/README.md'))
    .flatMap(([, text]) => text.split(/^## /m).slice(1))
    .map((section) => section.replaceAll(/\s+/g, ' '))

  test('dates each decision and names a test that is there', () => {
    assert.ok(decisions.length > 100)
    for (const decision of decisions) {
      const [about = '', held = ''] = decision.split(' Held by ')
      assert.match(about, / \d{4}-\d\d-\d\d\. /, decision)
      const claims = held.split(/(?=`test\/)/).filter((claim) => claim.startsWith('`test/'))
      assert.ok(claims.length > 0, decision)
      for (const claim of claims) {
        const source = read(/`([^`]+)`/.exec(claim)?.[1] ?? '')
        const names = [...claim.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name)
        assert.ok(names.length > 0, claim)
        for (const name of names) assert.ok(source.includes(name), `${claim}: ${name}`)
      }
    }
  })

  test('passwords are hashed as the decisions say', async () => {
    // In a process of its own: apps inside tests hash at a lower cost.
    const program = `import { hashPassword } from './src/accounts/users/passwords.ts'
      console.log(await hashPassword('correct horse'))`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program])
    assert.match(stdout, /^\$argon2id\$v=19\$m=7168,t=5,p=2\$/)
  })

  test('a server that made up its own secret is refused, one that was given another is believed', async () => {
    await using installation = await freshInstallation('postgres')
    await installation.json('tenants', 'init')
    await writeFile(requestSecretPath(installation.dataDir), 'made up by somebody else\n')
    const isRefused = async () => {
      const { code, err } = await installation.run('tenants', 'list')
      assert.ok(code === 0 || /^SERVICE_TENANTS_API_REQUEST_SECRET: .* another one/.test(err), err)
      return code === 1
    }
    assert.equal(await isRefused(), true)
    installation.settings.SERVICE_TENANTS_API_REQUEST_SECRET = 'given by the operator'
    assert.equal(await isRefused(), false)
    delete installation.settings.SERVICE_TENANTS_API_REQUEST_SECRET
    assert.equal(await isRefused(), true)
  })

  test('a tenant whose environment cannot be decrypted is 503, and the others are not', async () => {
    const [first, second] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')]
    const keyed = (key: string) => ({ SERVICE_ENCRYPTION_KEY: key })
    await using app = await startTestApp({ environment: keyed(first) })
    await app.tenant('cats')
    await using other = await startTestApp({ beside: app, environment: keyed(`${second},${first}`) })
    const body = { id: 'dogs', hostname: 'dogs.test', is_enabled: true, env: { A: 'b' } }
    assert.equal((await other.call('POST', 'tenants', body)).status, 201)
    for (const [path, status] of [
      ['tenants/dogs', 503],
      ['tenants', 503],
      ['tenants/cats', 200],
    ] as const) {
      assert.equal((await app.call('GET', path)).status, status, path)
    }
    assert.equal((await app.send('GET', '/', { headers: { host: 'cats.test' } })).status, 200)
    const proxy = await app.send('GET', '/_/api/4/config/proxy', { headers: { 'x-api-key': app.key } })
    assert.deepEqual(Object.keys(proxy.json.http.routers), ['*', 'cats', 'dogs'])
    assert.equal((await other.call('GET', 'tenants')).status, 200)
  })

  test('a fresh site counts one user, one administrator and nothing else', async () => {
    await using app = await startTestApp()
    await app.tenant('cats')
    const { stats } = (await app.call('GET', 'tenants/cats')).json
    const counted = Object.entries(stats).filter(([, count]) => count !== 0)
    assert.deepEqual(Object.fromEntries(counted), { users: 1, admins: 1 })
  })
})
