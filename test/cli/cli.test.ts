import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { cut, plain, widthOf } from '../../src/cli/terminal/table.ts'
import { anyCharacter } from '../support/fixtures/any-character.ts'
import { freshInstallation, ranOf, runHere, type Settings, startTool } from '../support/tool.ts'

const run = (...words: string[]) => runHere(words, {})

const atTerminal = (words: string[], settings: Settings = {}, columns = 80) =>
  runHere(words, settings, { columns })

describe('help', () => {
  test('exists at every level, with usage, options and an example', async () => {
    const pages = {
      'Usage: terrace COMMAND': ['--help'],
      'Usage: tenants COMMAND': ['tenants', '--help'],
      'Usage: tenants create --id ID --hostname NAME [OPTIONS]': ['tenants', 'create', '--help'],
      'Usage: tenants install --id ID': ['tenants', 'help', 'install'],
      'Usage: terrace serve': ['help', 'serve'],
      'Usage: terrace site --tenant ID COMMAND': ['site', '-h'],
      'Usage: terrace site --tenant ID user:create': ['help', 'site', 'user:create'],
      'Usage: terrace site --tenant ID user:key --username NAME': [
        'site',
        '--tenant',
        'x',
        'user:key',
        '--help',
      ],
    }
    for (const [usage, words] of Object.entries(pages)) {
      const { code, out, err } = await run(...words)
      assert.equal(code, 0)
      assert.equal(err, '')
      for (const part of [usage, 'Options:', 'Example:', '--help'])
        assert.ok(out.includes(part), `${part} in ${out}`)
    }
  })

  test('names every command of the contract', async () => {
    const { out } = await run('tenants', '--help')
    const names = [...out.matchAll(/^ {2}([a-z:-]+) /gm)].map(([, name]) => name)
    assert.deepEqual(
      names.filter((name) => !name?.startsWith('--') && name !== 'tenants'),
      [
        'init',
        'api:key:create',
        'api:key:list',
        'api:key:verify',
        'api:key:delete',
        'secret:show',
        'create',
        'get',
        'list',
        'edit',
        'preview',
        'delete',
        'install',
        'password-reset',
        'plan:create',
        'plan:get',
        'plan:list',
        'plan:edit',
        'plan:preview',
        'plan:delete',
        'usage',
        'quotas',
        'stats:refresh',
        'jobs:worker',
        'export',
        'import',
        'move',
        'database:migrate',
        'database:distribute',
        'env:rotate',
      ],
    )
  })

  test('needs no valid settings and creates nothing', async () => {
    await using installation = await freshInstallation('sqlite', { SERVICE_LISTEN: 'nonsense' })
    assert.equal((await installation.run('tenants', 'list', '--help')).code, 0)
    assert.match((await installation.bin('--version')).out, /^terrace \d+\.\d+\.\d+\n$/)
    assert.equal(existsSync(installation.dataDir), false)
  })
})

describe('wrong usage ends with 2, says why and does nothing:', () => {
  const wrong: Record<string, { words: string[]; says: string[] }> = {
    'no command, by the help': {
      words: [],
      says: ['A command is missing', 'Commands:\n  serve ', '--version'],
    },
    'no command of a group, by its help': {
      words: ['tenants'],
      says: ['A command is missing', 'Usage: tenants COMMAND', 'Commands:\n  init ', 'Example:'],
    },
    'no command of a site, by its help': {
      words: ['site', '--tenant', 'a'],
      says: ['A command is missing', 'Usage: terrace site --tenant ID COMMAND', '  user:create '],
    },
    'an unknown command': { words: ['tenant', 'list'], says: ['"tenant"', 'Did you mean "tenants"?'] },
    'an unknown command of a group': { words: ['tenants', 'lits'], says: ['"lits"', 'Did you mean "list"?'] },
    'a command without its group': { words: ['list'], says: ['Did you mean "tenants list"?'] },
    'a command that is like no other': { words: ['xyzzyx'], says: ['There is no command "xyzzyx".\n'] },
    'a missing option': { words: ['tenants', 'get'], says: ['--id ID is required'] },
    'an unknown option': {
      words: ['tenants', 'get', '--id', 'a', '--jsn'],
      says: ['There is no option --jsn', 'Did you mean "--json"?'],
    },
    'an option without its value': { words: ['tenants', 'get', '--id'], says: ['--id needs a value'] },
    'an option in the place of a value': {
      words: ['tenants', 'create', '--id', '--hostname', 'a.test'],
      says: ['--id needs a value', '--hostname NAME is required'],
    },
    'an option given twice': { words: ['tenants', 'get', '--id', 'a', '--id', 'b'], says: ['given twice'] },
    'a flag with a value': {
      words: ['tenants', 'list', '--json=1'],
      says: ['--json does not accept a value'],
    },
    'a word too many': { words: ['tenants', 'get', 'cats'], says: ['"cats" is not expected here'] },
    'an edit of nothing': { words: ['tenants', 'edit', '--id', 'a'], says: ['Nothing to change'] },
    'no key to delete': { words: ['tenants', 'api:key:delete'], says: ['either --id or --name'] },
    'two keys to delete': {
      words: ['tenants', 'api:key:delete', '--id', '1', '--name', 'a'],
      says: ['either'],
    },
    'a role that there is not': {
      words: ['site', '--tenant', 'a', 'user:create', '--role', 'king'],
      says: ['--role: must be one of admin, manager, user, not "king"', '--username NAME is required'],
    },
    'bad values, all at once': {
      words: [
        'tenants',
        'create',
        '--id',
        'a',
        '--hostname',
        'a.test',
        '--is_enabled',
        'true',
        '--limits',
        '{"A":1,"A":2}',
        '--env',
        '{"B":[],"C":null,"D":"d"}',
      ],
      says: [
        '--is_enabled: must be 0 or 1, not "true"',
        '--limits: The key "A" is given twice.',
        '--env: B, C must be a string, a number or a boolean',
      ],
    },
    'a number that would be changed': {
      words: ['tenants', 'edit', '--id', 'a', '--limits', '{"A":9007199254740993}'],
      says: ['--limits: A: the number 9007199254740993 cannot be kept exactly; send it as a string'],
    },
    'a map that is no JSON': {
      words: ['tenants', 'edit', '--id', 'a', '--limits', '5'],
      says: ['--limits: the value must be a JSON object'],
    },
    'a time that is none': {
      words: ['tenants', 'api:key:create', '--expires', '2030-02-30 00:00:00'],
      says: ['--expires: must be a time in UTC'],
    },
  }
  for (const [name, { words, says }] of Object.entries(wrong)) {
    test(name, async () => {
      await using installation = await freshInstallation()
      const { code, out, err } = await installation.run(...words)
      assert.equal(code, 2)
      assert.equal(out, '')
      for (const part of says) assert.ok(err.includes(part), `"${part}" in ${err}`)
      assert.equal(existsSync(installation.dataDir), false)
    })
  }
})

test('the process ends with the code of its command, and says why on its standard error', async () => {
  const { code, out, err } = await ranOf(startTool(['tenants', 'get']))
  assert.deepEqual([code, out], [2, ''])
  assert.match(err, /--id ID is required/)
})

test('all wrong settings are named, each on its own line', async () => {
  const faulty = { SERVICE_LISTEN: 'nonsense', SERVICE_DATABASE_URL: 'mysql://x', SERVICE_MAX_FILES: 'many' }
  await using installation = await freshInstallation('sqlite', {
    ...faulty,
    SERVICE_TENANTS_API_REQUEST_SECRET: '',
  })
  for (const words of [['serve'], ['tenants', 'list']]) {
    const { code, out, err } = await installation.run(...words)
    assert.equal(code, 2)
    assert.equal(out, '')
    const names = err
      .trimEnd()
      .split('\n')
      .map((line) => line.split(':')[0])
    assert.deepEqual(names.sort(), [...Object.keys(faulty), 'SERVICE_TENANTS_API_REQUEST_SECRET'].sort())
  }
  assert.equal(existsSync(installation.dataDir), false)
})

test('an unexpected error is printed on one line, and with its stack at log level debug', async () => {
  // A file where the data folder should be.
  await using installation = await freshInstallation('sqlite', { SERVICE_DATA_DIR: '/dev/null/data' })
  const short = await installation.run('tenants', 'list')
  assert.deepEqual([short.code, short.out], [1, ''])
  assert.match(short.err, /^Unexpected error: .*\n$/)
  installation.settings.SERVICE_LOG_LEVEL = 'debug'
  assert.match((await installation.bin('tenants', 'list')).err, /^Unexpected error: .*\n.*\n\s+at /)
})

describe('at a terminal', () => {
  test('there are colours, unless NO_COLOR is set', async () => {
    assert.ok((await atTerminal(['--help'])).out.includes('\x1b['))
    assert.ok(!(await atTerminal(['--help'], { NO_COLOR: '1' })).out.includes('\x1b['))
    assert.ok((await atTerminal(['nonsense'])).err.includes('\x1b['))
    assert.ok(!(await atTerminal(['nonsense'], { NO_COLOR: '1' })).err.includes('\x1b['))
  })

  test('a table that is too wide breaks long texts between words', async () => {
    await using installation = await freshInstallation()
    await installation.json('tenants', 'create', '--id', 'cats', '--hostname', 'cats.test')
    const settings = { ...installation.settings, NO_COLOR: '1' }
    const wide = await atTerminal(['tenants', 'list'], settings, 90)
    assert.match(wide.out, /^cats {2}cats\.test {2}yes {6}no {9}- +0 +0 B {2}\d{4}-\d\d-\d\d [\d:]+\n$/m)

    const { out } = await atTerminal(['doctor'], settings, 90)
    const lines = out.trimEnd().split('\n')
    for (const line of lines) assert.ok(line.length <= 90, line)
    const full = (await installation.run('doctor')).out
      .split('\n')
      .slice(1)
      .flatMap((line) => line.split('\t'))
    const shown = new Set(out.split(/\s+/))
    for (const word of full.join(' ').split(/\s+/)) assert.ok(shown.has(word), `${word} in ${out}`)
  })

  test('a table that still does not fit has a line for each value, and names are never cut', async () => {
    await using installation = await freshInstallation()
    const hostname = `${'long.'.repeat(12)}name.example.com`
    await installation.json('tenants', 'create', '--id', 'cats', '--hostname', hostname)
    const { out } = await atTerminal(['tenants', 'list'], { ...installation.settings, NO_COLOR: '1' }, 90)
    assert.match(out, new RegExp(`^  ID {9}cats\n  HOSTNAME {3}${hostname}\n  ENABLED {4}yes\n`))

    const piped = await installation.run('tenants', 'list')
    assert.ok(piped.out.includes(`cats\t${hostname}\tyes\tno\t-\t0\t0 B\t`))
    assert.ok(!piped.out.includes('\x1b'))
  })

  test('no text is wider than its column, and nothing in it moves the cursor', () => {
    const unit = fc.oneof(
      fc.constantFrom('\x1b', '\n', '\u202e', '猫', '🐈', 'é', 'a'),
      fc.string({ unit: anyCharacter }),
    )
    const texts = fc.array(unit).map((parts) => parts.join(''))
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 40 }), (text, room) => {
        const shown = cut(plain(text), room)
        assert.ok(widthOf(shown) <= room)
        assert.doesNotMatch(shown, /[\p{C}\u2028\u2029]/u)
      }),
    )
  })

  test('an escape code in a value stays text', async () => {
    await using installation = await freshInstallation()
    await installation.json(
      'tenants',
      'create',
      '--id',
      'cats',
      '--hostname',
      'a.test',
      '--env',
      '{"A":"x\\u001b[31m\\ny"}',
    )
    for (const { out } of [
      await installation.run('tenants', 'get', '--id', 'cats'),
      await atTerminal(['tenants', 'get', '--id', 'cats'], { ...installation.settings, NO_COLOR: '1' }),
    ]) {
      assert.ok(!out.includes('\x1b'))
      assert.ok(out.includes('x\\u{1b}[31m\\ny'))
    }
  })

  test('long work shows its progress on a terminal, and only its result in a pipe', async () => {
    await using installation = await freshInstallation()
    await installation.json('tenants', 'create', '--id', 'cats', '--hostname', 'a.test')
    const { out, err } = await atTerminal(['tenants', 'stats:refresh'], {
      ...installation.settings,
      NO_COLOR: '1',
    })
    assert.match(err, /tenants counted 0 of 1/)
    assert.equal(out, 'Recounted 1 tenant.\n')
    const piped = await installation.run('tenants', 'stats:refresh')
    assert.deepEqual([piped.code, piped.out, piped.err], [0, 'Recounted 1 tenant.\n', ''])
  })
})

test('a reader that closes the pipe early does not make the command fail', async () => {
  const child = startTool(['tenants', '--help'])
  child.stdout?.destroy()
  const [code, err] = await new Promise<[number | null, string]>((resolve) => {
    let said = ''
    child.stderr?.on('data', (chunk) => {
      said += chunk
    })
    child.once('close', (status) => resolve([status, said]))
  })
  assert.deepEqual([code, err], [0, ''])
})
