import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { required, text } from '../../src/cli/terminal/option.ts'
import { parseCommandLine } from '../../src/cli/terminal/parse-args.ts'
import { onEachStore } from '../support/harness.ts'
import {
  freshInstallation,
  type Installation,
  installationWithCats,
  refused,
  runHere,
  type Settings,
} from '../support/tool.ts'

const ada = ['--username', 'ada', '--email', 'ada@example.com', '--password', 'a long password']
const site = ['site', '--tenant', 'cats']

const statsOf = async (installation: Installation) =>
  (await installation.json('tenants', 'get', '--id', 'cats')).stats

describe('help', () => {
  test('names every command for a site, and the positional arguments', async () => {
    const { out } = await runHere(['site', '--help'], {})
    const names = [...out.matchAll(/^ {2}([a-z]+(?::[a-z]+)*) {2}/gm)].map(([, name]) => name)
    assert.deepEqual(names, [
      'user:create',
      'user:list',
      'user:edit',
      'user:delete',
      'key:create',
      'key:list',
      'key:revoke',
      'user:key',
      'user:key:list',
      'user:key:delete',
      'file:list',
      'search',
      'file:show',
      'file:approve',
      'file:delete',
      'trash:list',
      'trash:restore',
      'trash:empty',
      'report:list',
      'report:keep',
      'report:remove',
      'setting:get',
      'setting:set',
      'settings',
      'preset:list',
      'preset:set',
      'preset:delete',
      'album:create',
      'album:edit',
      'album:delete',
      'album:list',
      'share:create',
      'share:list',
      'share:revoke',
      'category:create',
      'category:list',
      'category:delete',
      'audit:sign',
    ])
    const pages = {
      'setting:get': 'setting:get NAME [OPTIONS]',
      'setting:set': 'setting:set NAME VALUE [OPTIONS]',
      settings: 'settings [OPTIONS]',
      'album:create': 'album:create --username NAME --title TEXT [OPTIONS]',
      'category:create': 'category:create --name NAME [OPTIONS]',
    }
    for (const [verb, usage] of Object.entries(pages)) {
      const page = await runHere(['site', verb, '--help'], {})
      assert.equal(page.code, 0)
      assert.ok(page.out.includes(`Usage: terrace site --tenant ID ${usage}\n`), page.out)
      assert.equal(/^Values:\n {2}NAME +the setting/m.test(page.out), verb.startsWith('setting:'))
    }
  })
})

describe('wrong usage ends with 2, says why and does nothing:', () => {
  const wrong: Record<string, { words: string[]; says: string[] }> = {
    'no setting': { words: ['setting:get'], says: ['NAME is required.\n', 'setting:get --help'] },
    'neither setting nor value': {
      words: ['setting:set'],
      says: ['NAME is required.\n', 'VALUE is required.\n'],
    },
    'no value': { words: ['setting:set', 'duplicates'], says: ['VALUE is required.\n'] },
    'a word too many': {
      words: ['setting:get', 'duplicates', 'reject'],
      says: ['"reject" is one argument too many'],
    },
    'a value without its quotes': {
      words: ['setting:set', 'public_key', 'one', 'two', 'three'],
      says: ['"two" is one argument too many', '"three" is one argument too many'],
    },
    'a value with a dash': {
      words: ['setting:set', 'flood_user_minute', '-15'],
      says: ['There is no option -15.\nVALUE is required; write -- before it'],
    },
    'an option with one dash': {
      words: ['setting:get', 'duplicates', '-json'],
      says: ['There is no option -json. Did you mean "--json"?\n'],
    },
    'a word where none is taken': { words: ['settings', 'all'], says: ['"all" is not expected here'] },
    'no tenant': { words: ['setting:get', 'duplicates'], says: ['--tenant ID is required.'] },
    'a privacy that there is not': {
      words: ['album:create', '--username', 'ada', '--privacy', 'secret'],
      says: [
        '--privacy: must be one of public, link, password, private, not "secret"',
        '--title TEXT is required.',
      ],
    },
    'a preset with values that there are not': {
      words: [
        'preset:set',
        'Card',
        '--width',
        '5000',
        '--fit',
        'fill',
        '--quality',
        '0',
        '--background',
        'red',
        '--dpr',
        '2',
      ],
      says: [
        'must be 1 to 32 of a-z 0-9 _ -, a letter or digit first, not "Card"',
        '--width: must be a whole number from 1 to 4096, not "5000"',
        '--fit: must be one of scale-down, contain, inside, cover, crop, pad, not "fill"',
        '--quality: must be a whole number from 1 to 100, not "0"',
        '--background: must be six hexadecimal digits or transparent, not "red"',
        'There is no option --dpr.',
      ],
    },
    'a category without a name': { words: ['category:create'], says: ['--name NAME is required.'] },
  }
  for (const [name, { words, says }] of Object.entries(wrong)) {
    test(name, async () => {
      await using installation = await freshInstallation()
      const { code, out, err } = await installation.run(...(name === 'no tenant' ? ['site'] : site), ...words)
      assert.deepEqual([code, out], [2, ''])
      for (const part of says) assert.ok(err.includes(part), `"${part}" in ${err}`)
      assert.equal(existsSync(installation.dataDir), false)
    })
  }
})

test('positional arguments reach the command unchanged, wherever the options are', () => {
  const syntax = {
    options: { tenant: required(text('ID', 'a tenant')) },
    positionals: { name: required(text('NAME', 'a name')), value: required(text('VALUE', 'a value')) },
  }
  const undashed = fc.string({ unit: 'grapheme' }).filter((word) => !word.startsWith('-'))
  fc.assert(
    fc.property(fc.tuple(undashed, undashed), fc.nat(2), ([name, value], at) => {
      const words = [name, value].toSpliced(at, 0, '--tenant', 'cats')
      assert.deepEqual(parseCommandLine(words, syntax, ''), { tenant: 'cats', name, value })
    }),
  )
  const anything = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('--', '-', '--tenant', '-x=1'))
  fc.assert(
    fc.property(fc.tuple(anything, anything), ([name, value]) => {
      const words = ['--tenant=cats', '--', name, value]
      assert.deepEqual(parseCommandLine(words, syntax, ''), { tenant: 'cats', name, value })
    }),
  )
})

onEachStore('settings', (store) => {
  test('are shown, changed and listed, each site having its own', async () => {
    await using installation = await installationWithCats(store)
    await installation.json('tenants', 'create', '--id', 'dogs', '--hostname', 'dogs.test')
    await refused(installation, ['site', '--tenant', 'dogs', 'settings'], 'being prepared')
    await refused(installation, ['site', '--tenant', 'nobody', 'settings'], 'Tenant not found')
    await installation.json('tenants', 'install', '--id', 'dogs', ...ada)

    const usual = { name: 'duplicates', value: 'allow' }
    assert.deepEqual(await installation.json(...site, 'setting:get', 'duplicates'), usual)
    const changed = { name: 'duplicates', value: 'reject' }
    assert.deepEqual(await installation.json(...site, 'setting:set', 'duplicates', 'reject'), changed)
    assert.deepEqual(await installation.json(...site, 'setting:get', 'duplicates'), changed)
    assert.deepEqual(await installation.json('site', 'setting:get', 'duplicates', '--tenant', 'dogs'), usual)
    const shown = await installation.run(...site, 'setting:get', 'duplicates')
    assert.deepEqual(shown, { code: 0, out: 'reject\n', err: '' })

    const key = '-----a-public-key'
    const set = await installation.run(...site, 'setting:set', '--', 'public_key', key)
    assert.deepEqual(set, { code: 0, out: `The setting public_key is now "${key}".\n`, err: '' })

    const settings = await installation.json(...site, 'settings')
    const names = settings.map((setting: { name: string }) => setting.name)
    assert.deepEqual(names, names.toSorted())
    for (const setting of settings)
      assert.deepEqual(Object.keys(setting), ['name', 'value', 'default', 'help'])
    const differing = settings.filter((setting: Settings) => setting.value !== setting.default)
    assert.deepEqual(
      differing.map(({ name, value }: Settings) => [name, value]),
      [
        ['duplicates', 'reject'],
        ['protect_bytes', '1'],
        ['public_key', key],
      ],
    )
    const listed = await installation.run(...site, 'settings')
    assert.equal(listed.out.split('\n')[0], 'NAME\tVALUE\tDEFAULT\tHELP')
    assert.ok(listed.out.includes(`\npublic_key\t${key}\t\tKey for guest`))

    assert.deepEqual(await installation.json(...site, 'setting:set', 'public_key', ''), {
      name: 'public_key',
      value: '',
    })
    assert.equal((await installation.run(...site, 'setting:get', 'public_key')).out, '\n')
  })

  test('refuse an unknown name and a bad value, and stay unchanged', async () => {
    await using installation = await installationWithCats(store)
    const before = await installation.json(...site, 'settings')
    for (const [name, value, says] of [
      ['duplicates', 'Reject', 'duplicates: must be one of allow, existing, reject, not "Reject"'],
      ['public_key', 'short', 'public_key: must be 16 to 200 characters'],
      ['timezone', 'Europe/Nowhere', 'timezone: must be a time zone'],
      ['max_file_size_user', '10 MB', 'max_file_size_user: must be a whole number'],
      ['duplicate', 'reject', 'There is no setting "duplicate". Did you mean "duplicates"?'],
      ['__proto__', 'x', 'There is no setting "__proto__".'],
    ] as const) {
      await refused(installation, [...site, 'setting:set', name, value], says)
    }
    await refused(installation, [...site, 'setting:get', 'toString'], 'There is no setting "toString".')
    assert.deepEqual(await installation.json(...site, 'settings'), before)
  })
})

test('at a terminal the changed settings are bold, and a shown one is explained', async () => {
  await using installation = await installationWithCats()
  await installation.json(...site, 'setting:set', 'moderation', 'guest')
  const { out } = await runHere([...site, 'settings'], installation.settings, { columns: 160 })
  const seen = out
    .replaceAll('\x1b[1m', '<bold>')
    .replaceAll('\x1b[2m', '<dim>')
    .replaceAll('\x1b[22m', '</>')
  assert.match(seen, /^<bold>moderation<\/> +<bold>guest<\/> +<dim>off<\/>/m)
  assert.match(seen, /^metadata +strip_location +<dim>strip_location<\/>/m)
  const plain = { ...installation.settings, NO_COLOR: '1' }
  const shown = await runHere([...site, 'setting:get', 'moderation'], plain, { columns: 80 })
  assert.deepEqual([shown.out, shown.err], ['guest\n', 'Whose uploads wait for approval\n'])
})

onEachStore('albums', (store) => {
  test('are created for a user, listed and counted', async () => {
    await using installation = await installationWithCats(store, '{"SERVICE_MAX_ALBUMS":3}')
    const empty = await installation.run(...site, 'album:list')
    assert.deepEqual([empty.code, empty.out], [0, ''])
    assert.match(empty.err, /no albums yet.*terrace site --tenant cats album:create --username/)
    assert.deepEqual(await installation.json(...site, 'album:list'), [])

    const create = [...site, 'album:create', '--username', 'ADA', '--title']
    const kittens = await installation.json(...create, ' Kittens ')
    assert.match(kittens.id, /^[A-Za-z0-9]{10,}$/)
    assert.deepEqual(kittens, { id: kittens.id, title: 'Kittens', privacy: 'public', username: 'ada' })
    assert.equal((await statsOf(installation)).albums, 1)

    const locked = [...create, 'Lions', '--privacy', 'password']
    await refused(installation, locked, 'password: must be given')
    await refused(installation, [...create, 'Lions', '--password', 'mane'], 'password: must be given')
    await refused(installation, [...create, ' '], 'title: must be 1 to 100')
    await refused(installation, [...create, 'x'.repeat(101)], 'title: must be 1 to 100')
    await refused(
      installation,
      [...site, 'album:create', '--username', 'eve', '--title', 'x'],
      'no user "eve"',
    )
    const lions = await installation.json(...locked, '--password', 'mane')
    assert.equal(lions.privacy, 'password')

    const { code, out } = await installation.run(...create, 'a\x1b[31m', '--privacy', 'link')
    assert.equal(code, 0)
    assert.match(out, /^Created the album \w+ of ada: a\\u\{1b\}\[31m \(link\)\.\n$/)
    await refused(installation, [...create, 'One more'], 'SERVICE_MAX_ALBUMS is reached (limit 3)')

    const albums = await installation.json(...site, 'album:list')
    assert.deepEqual(Object.keys(albums[0]), ['id', 'title', 'privacy', 'username', 'files', 'created_at'])
    assert.deepEqual(albums.map(({ title, privacy }: Settings) => [title, privacy]).sort(), [
      ['Kittens', 'public'],
      ['Lions', 'password'],
      ['a\x1b[31m', 'link'],
    ])
    const piped = await installation.run(...site, 'album:list')
    assert.ok(piped.out.includes(`\n${kittens.id}\tKittens\tpublic\t`))
    assert.ok(!piped.out.includes('\x1b'))
    assert.equal((await statsOf(installation)).albums, 3)
  })

  test('are changed and deleted, and have a password exactly if their privacy is password', async () => {
    await using installation = await installationWithCats(store)
    const { id } = await installation.json(...site, 'album:create', '--username', 'ada', '--title', 'Lions')
    const edit = [...site, 'album:edit', '--id', id]
    const { code, err } = await installation.run(...edit)
    assert.deepEqual([code, err.includes('Nothing to change')], [2, true])
    await refused(
      installation,
      [...edit, '--privacy', 'password'],
      'password: must be given for the privacy password',
    )
    await refused(
      installation,
      [...edit, '--password', 'mane'],
      'only for the privacy password, not for public',
    )
    const toLock = [...edit, '--privacy', 'password', '--password']
    for (const bad of ['', 'x'.repeat(129)])
      await refused(
        installation,
        [...toLock, bad],
        `password: must be 1 to 128 characters long, not ${bad.length}`,
      )
    const locked = { id, title: 'Lions', privacy: 'password', username: 'ada' }
    assert.deepEqual(await installation.json(...toLock, 'mane'), locked)
    // The password stays while nothing is said of it, and goes with the privacy that asks for it.
    assert.equal(
      (await installation.json(...edit, '--title', 'Pride', '--privacy', 'password')).title,
      'Pride',
    )
    const opened = await installation.run(...edit, '--privacy', 'link')
    assert.equal(opened.out, `Changed the album ${id} of ada: Pride (link).\n`)
    await refused(installation, [...edit, '--privacy', 'password'], 'password: must be given')

    const remove = [...site, 'album:delete', '--id', id]
    assert.deepEqual(await installation.json(...remove), { id, deleted: true, files_kept: 0 })
    await refused(installation, remove, `There is no album "${id}".`)
    await refused(installation, [...edit, '--title', 'x'], `There is no album "${id}".`)
    assert.equal((await statsOf(installation)).albums, 0)
  })
})

onEachStore('categories', (store) => {
  test('are created with a number, listed and counted', async () => {
    await using installation = await installationWithCats(store, '{"SERVICE_MAX_CATEGORIES":2}')
    const empty = await installation.run(...site, 'category:list')
    assert.deepEqual([empty.code, empty.out], [0, ''])
    assert.match(empty.err, /no categories yet.*terrace site --tenant cats category:create --name/)

    const create = [...site, 'category:create', '--name']
    const art = { id: 1, name: 'Street Art', url_key: 'street-art' }
    assert.deepEqual(await installation.json(...create, ' Street Art '), art)
    assert.equal((await statsOf(installation)).categories, 1)
    await refused(installation, [...create, 'street art'], 'already a category "street art"')
    await refused(installation, [...create, 'x'.repeat(33)], 'name: must be 1 to 32')
    assert.equal((await statsOf(installation)).categories, 1)

    const { code, out } = await installation.run(...create, 'Été')
    assert.deepEqual([code, out], [0, 'Created the category 2: Été (ete).\n'])
    await refused(installation, [...create, 'Third'], 'SERVICE_MAX_CATEGORIES is reached (limit 2)')
    assert.deepEqual(await installation.json(...site, 'category:list'), [
      art,
      { id: 2, name: 'Été', url_key: 'ete' },
    ])
    assert.equal(
      (await installation.run(...site, 'category:list')).out,
      'ID\tNAME\tURL KEY\n1\tStreet Art\tstreet-art\n2\tÉté\tete\n',
    )
    assert.equal((await statsOf(installation)).categories, 2)

    assert.deepEqual(await installation.json(...site, 'category:delete', '--id', '1'), {
      id: 1,
      deleted: true,
    })
    await refused(installation, [...site, 'category:delete', '--id', '1'], 'There is no category 1.')
    assert.equal((await statsOf(installation)).categories, 1)
  })
})
