import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { mediaRoutes, routes, siteRoutes } from '../../src/routes.ts'
import {
  filesOfProject,
  type House,
  importCircles,
  isInSource,
  readHouse,
  roomOf,
} from '../support/project/house.ts'

/** The map: imports go down this list, never up, and never sideways across `|`. */
const FLOORS = [
  'main | further-process',
  'cli',
  'doors',
  'routes',
  'console',
  'api | delivery | pages | jobs | maintenance',
  'ui',
  'http',
  'app',
  'config',
  'tenants',
  'control',
  'media',
  'accounts',
  'scheduling',
  'site',
  'storage | db | imaging | mail | words',
  'formats',
  'lib',
  'common',
]

/** Rooms of parts that are used one by one: each of their files is entered by itself. */
const LIBRARIES: ReadonlySet<string> = new Set(['ui', 'http', 'words', 'formats', 'lib', 'common'])

/** What puts the doors together reaches into them: it lists every route and every page. */
const LISTS: ReadonlySet<string> = new Set(['doors', 'routes'])

/** Rooms in which no two folders import each other both ways. */
const ONE_WAY: ReadonlySet<string> = new Set(['api', 'delivery', 'pages', 'console', 'http'])

/** Packages that only one part of the code may import, so that replacing one of them changes only that part. */
const HOMES: readonly { packages: RegExp; home: RegExp }[] = [
  { packages: /^kysely(\/|$)/, home: /^src\/db\/|-table\.ts$/ },
  { packages: /^(better-sqlite3|pg)(\/|$)/, home: /^src\/db\// },
  {
    packages: /^(fastify(\/|$)|@fastify\/)/,
    home: /^src\/(ui|http|api|delivery|pages|console)\/|^src\/doors\.ts$/,
  },
  { packages: /^typebox(\/|$)/, home: /^src\/(http|api|delivery|pages)\// },
  { packages: /^(sharp|mediabunny|thumbhash)(\/|$)|^@seydx\/node-av/, home: /^src\/imaging\// },
  { packages: /^@aws-sdk\//, home: /^src\/storage\/s3\.ts$/ },
  { packages: /^nodemailer(\/|$)/, home: /^src\/mail\// },
  { packages: /^(otpauth|@simplewebauthn\/server|openid-client)(\/|$)/, home: /^src\/accounts\/login\// },
  { packages: /^markdown-it(\/|$)/, home: /^src\/media\/pages\// },
]

/** Each is started as a process of its own. */
const programs = ['src/main.ts', 'src/further-process.ts']

/** What decides about a sync of stats. A door cannot forget it, because it has no say in it. */
const SYNCS: readonly { names: readonly string[]; home: RegExp }[] = [
  { names: ['requestSync'], home: /-table\.ts$|^src\/(db|site)\// },
  { names: ['syncStats', 'changingSite'], home: /^src\/(site|media|tenants|maintenance)\// },
]

const LONGEST = { src: 300, web: 300, test: 400 }

/** Every rule. It gets all files and names the lines that break it. */
const RULES = {
  'imports go down the floors, never up or sideways': (house) =>
    house.imports.flatMap(({ from, at, to, target }) => {
      if (!isInSource(from) || !isInSource(target) || roomOf(from) === roomOf(target)) return []
      if (floorOf(from) === -1) return [`${at}: the room "${roomOf(from)}" has no floor on the map`]
      return floorOf(target) > floorOf(from) ? [] : [`${at}: ${roomOf(from)} may not import ${to}`]
    }),

  'another room is entered only by its index.ts': (house) =>
    house.imports.flatMap(({ from, at, to, target }) => {
      if (!isInSource(from) || !isInSource(target) || roomOf(from) === roomOf(target)) return []
      const room = roomOf(target)
      const doors = [`src/${room}/index.ts`, `src/${room}.ts`]
      const isFree = LIBRARIES.has(room) || LISTS.has(roomOf(from))
      return isFree || doors.includes(target) ? [] : [`${at}: ${to} is not the door of ${room}`]
    }),

  'the browser shares only common/ with the server, which imports nothing else': (house) =>
    house.imports.flatMap(({ from, at, to, target }) => {
      const isBound = from.startsWith('src/common/') || (from.startsWith('web/') && isInSource(target))
      return isBound && !target?.startsWith('src/common/') ? [`${at}: it may not import ${to}`] : []
    }),

  'packages stay at home': (house) =>
    house.imports.flatMap(({ from, at, to }) => {
      const isAstray = HOMES.some(({ packages, home }) => packages.test(to) && !home.test(from))
      return isInSource(from) && isAstray ? [`${at}: ${to} is not at home here`] : []
    }),

  'row functions request a sync of stats, doors do not': (house) =>
    house.imports.flatMap(({ from, at, names }) => {
      const astray = SYNCS.filter(({ home }) => !home.test(from)).flatMap((sync) => sync.names)
      return names
        .filter((name) => astray.includes(String(name)))
        .map((name) => `${at}: ${name} is not for it`)
    }),

  'only the programs read the environment': (house) =>
    house.environmentReads.flatMap(({ from, at }) =>
      isInSource(from) && !programs.includes(from)
        ? [`${at}: process.env belongs to ${programs.join(' and ')}`]
        : [],
    ),

  'no file is too long': (house) =>
    house.files.flatMap(({ path, lines }) => {
      const limit = LONGEST[path.split('/')[0] as keyof typeof LONGEST] ?? Number.POSITIVE_INFINITY
      return lines > limit ? [`${path}: ${lines} lines, at most ${limit}`] : []
    }),

  'no imports go in a circle, types included': (house) =>
    importCircles(house.imports).map((circle) => `${circle[0]}: ${circle.join(' → ')}`),

  'folders of a door import each other one way': (house) => {
    const folderOf = (path: string) => path.split('/').slice(1, -1).slice(0, 2).join('/')
    const ways = house.imports.flatMap(({ from, at, target }) => {
      if (!isInSource(from) || !isInSource(target) || !ONE_WAY.has(roomOf(from))) return []
      const [here, there] = [folderOf(from), folderOf(target)]
      const isInside = roomOf(from) === roomOf(target) && here.includes('/') && there.includes('/')
      return isInside && here !== there ? [{ at, here, there }] : []
    })
    const known = new Set(ways.map(({ here, there }) => `${here} ${there}`))
    return ways.flatMap(({ at, here, there }) =>
      here < there && known.has(`${there} ${here}`) ? [`${at}: ${there} imports ${here} too`] : [],
    )
  },

  'nothing is exported by default': (house) =>
    house.defaultExports.flatMap(({ from, at }) => (isInSource(from) ? [`${at}: export it by name`] : [])),

  'no literal is spread into another': (house) =>
    house.literalSpreads.map(({ at }) => `${at}: write its parts where they belong`),

  'imports of our own files end in .ts, of data in .json': (house) =>
    house.imports.flatMap(({ from, at, to, target }) =>
      isInSource(from) && target !== undefined && !/\.(ts|json)$/.test(target) ? [`${at}: ${to}`] : [],
    ),
} satisfies Record<string, (house: House) => string[]>

type Rule = keyof typeof RULES

describe('the house', () => {
  const house = readHouse(filesOfProject())
  for (const rule of Object.keys(RULES) as Rule[]) {
    test(rule, () => assert.deepEqual(RULES[rule](house), []))
  }
})

describe('every route says who may call it', () => {
  interface Listed {
    method: string
    path: string
    access?: unknown
    endpoint?: { access?: unknown }
  }

  const withoutAccess = (list: readonly Listed[]) =>
    list
      .filter(({ access, endpoint }) => typeof (access ?? endpoint?.access) !== 'string')
      .map(({ method, path }) => `${method} ${path}`)

  test('of the control plane', () => assert.deepEqual(withoutAccess(routes), []))
  test('of a site', () => assert.deepEqual(withoutAccess(siteRoutes), []))
  test('of a site’s own API', () => assert.deepEqual(withoutAccess(mediaRoutes), []))

  test('and one that does not is named', () => {
    const open = { method: 'GET', path: '/a', endpoint: { access: 'open' } }
    const unsaid = { method: 'POST', path: '/b', endpoint: {} }
    assert.deepEqual(withoutAccess([open, unsaid]), ['POST /b'])
  })
})

/** For each rule, sources that break it, and the lines that must be named. All other lines keep the rule. */
const BROKEN: Record<Rule, { files: Record<string, string>; at: string[] }> = {
  'imports go down the floors, never up or sideways': {
    files: {
      'src/http/a.ts': `import { b } from '../app.ts'\nimport type { c } from '../jobs/index.ts'\n`,
      'src/pages/a.ts': `import '../http/b.ts'\nimport type { c } from '../api/index.ts'\nimport '../delivery/index.ts'\n`,
      'src/media/a.ts': `// import '../http/index.ts'\nconst a = "import '../cli/index.ts'"\nexport * from '../app.ts'\n`,
      'src/media/kinds/b.ts': `const quote = /['"]/\nawait import('../../http/index.ts')\nimport '../upload.ts'\n`,
      'src/db/a.ts': `export { a } from '../storage/index.ts'\ntype B = import('../site/index.ts').B\n`,
      'src/main.ts': `import './cli/index.ts'\nimport './lib/ids.ts'\nimport './config.ts'\n`,
      'src/cellar/a.ts': `import '../lib/ids.ts'\n`,
      'src/lib/a.ts': `import '../cellar/index.ts'\nimport './b.ts'\n`,
      'test/a.test.ts': `import '../src/main.ts'\n`,
    },
    at: [
      'src/http/a.ts:2',
      'src/pages/a.ts:2',
      'src/pages/a.ts:3',
      'src/media/a.ts:3',
      'src/media/kinds/b.ts:2',
      'src/db/a.ts:1',
      'src/db/a.ts:2',
      'src/cellar/a.ts:1',
      'src/lib/a.ts:1',
    ],
  },
  'another room is entered only by its index.ts': {
    files: {
      'src/media/a.ts': `import '../db/open.ts'\nimport '../db/index.ts'\nimport '../lib/ids.ts'\nimport './kinds/b.ts'\n`,
      'src/jobs/a.ts': `import '../media/kinds/index.ts'\nimport '../app.ts'\nimport type { A } from '../site/a.ts'\n`,
    },
    at: ['src/media/a.ts:1', 'src/jobs/a.ts:1', 'src/jobs/a.ts:3'],
  },
  'the browser shares only common/ with the server, which imports nothing else': {
    files: {
      'web/a.tsx': `import { b } from '../src/common/b.ts'\nimport type { C } from '../src/pages/c.ts'\nimport './b.ts'\n`,
      'web/b.ts': `import 'preact'\nimport { escapeHtml } from '../src/lib/html.ts'\n`,
      'src/common/b.ts': `import './c.ts'\nimport 'node:path'\nimport type { D } from '../lib/d.ts'\n`,
    },
    at: ['web/a.tsx:2', 'web/b.ts:2', 'src/common/b.ts:2', 'src/common/b.ts:3'],
  },
  'packages stay at home': {
    files: {
      'src/media/file-table.ts': `import { sql } from 'kysely'\nimport pg from 'pg'\n`,
      'src/media/a.ts': `import type { Kysely } from 'kysely'\nimport sharp from 'sharp'\nimport 'pgpass'\n`,
      'src/db/a.ts': `import 'kysely/helpers/postgres'\nimport 'better-sqlite3'\nimport 'pg'\nimport 'fastify'\n`,
      'src/pages/a.ts': `import 'fastify'\nimport '@fastify/accepts'\nimport 'typebox/value'\nimport '@aws-sdk/client-s3'\n`,
      'src/storage/s3.ts': `import '@aws-sdk/client-s3'\nimport 'typebox'\n`,
      'src/storage/disk.ts': `await import('@aws-sdk/client-s3')\nimport 'better-sqlite3'\n`,
      'src/imaging/a.ts': `import 'sharp'\nimport '@fastify/accepts'\n`,
    },
    at: [
      'src/media/file-table.ts:2',
      'src/media/a.ts:1',
      'src/media/a.ts:2',
      'src/db/a.ts:4',
      'src/pages/a.ts:4',
      'src/storage/s3.ts:2',
      'src/storage/disk.ts:1',
      'src/storage/disk.ts:2',
      'src/imaging/a.ts:2',
    ],
  },
  'row functions request a sync of stats, doors do not': {
    files: {
      'src/media/file-table.ts': `import { requestSync } from '../db/index.ts'\n`,
      'src/media/a.ts': `import { prepare, requestSync } from '../db/index.ts'\n`,
      'src/pages/a.ts': `import { changeSite } from '../tenants/index.ts'\nimport { syncStats as sync } from '../tenants/index.ts'\n`,
      'src/cli/a.ts': `import { changingSite } from '../site/index.ts'\n`,
    },
    at: ['src/media/a.ts:1', 'src/pages/a.ts:2', 'src/cli/a.ts:1'],
  },
  'only the programs read the environment': {
    files: {
      'src/main.ts': `read(process.env)\n`,
      'src/config.ts': `// process.env\nconst a = process.env.PORT\nconst { env } = process\nprocess['env']\nprocess.exit()\n`,
      'src/lib/a.ts': `import { env } from 'node:process'\nimport { pid } from 'node:process'\nglobalThis.process?.env\n`,
    },
    at: ['src/config.ts:2', 'src/config.ts:3', 'src/config.ts:4', 'src/lib/a.ts:1', 'src/lib/a.ts:3'],
  },
  'no file is too long': {
    files: {
      'src/lib/a.ts': '\n'.repeat(300),
      'src/lib/b.ts': '\n'.repeat(301),
      'web/a.tsx': '\n'.repeat(301),
      'test/a.test.ts': '\n'.repeat(400),
      'test/b.test.ts': `${'\n'.repeat(400)}let unfinished`,
    },
    at: ['src/lib/b.ts', 'web/a.tsx', 'test/b.test.ts'],
  },
  'no imports go in a circle, types included': {
    files: {
      'src/lib/a.ts': `import './b.ts'\n`,
      'src/lib/b.ts': `import type { C } from './c.ts'\n`,
      'src/lib/c.ts': `export * from './a.ts'\n`,
      'src/lib/d.ts': `import './a.ts'\nimport './e.ts'\n`,
      'src/lib/e.ts': `import './f.ts'\nimport './a.ts'\n`,
      'src/lib/g.ts': `type G = import('./g.ts').G\n`,
      'web/a.tsx': `import { b } from './b.ts'\n`,
      'web/b.ts': `import type { A } from './a.tsx'\n`,
    },
    at: ['src/lib/a.ts', 'src/lib/g.ts', 'web/a.tsx'],
  },
  'folders of a door import each other one way': {
    files: {
      'src/pages/list/a.ts': `import '../viewer/b.ts'\nimport '../frame.ts'\nimport './c.ts'\n`,
      'src/pages/viewer/b.ts': `import type { D } from '../list/parts/d.ts'\nimport '../../http/list/e.ts'\n`,
      'src/pages/frame.ts': `import './list/a.ts'\n`,
      'src/media/a/a.ts': `import '../b/b.ts'\n`,
      'src/media/b/b.ts': `import '../a/c.ts'\n`,
    },
    at: ['src/pages/list/a.ts:1'],
  },
  'nothing is exported by default': {
    files: {
      'src/lib/a.ts': `export default function a() {}\nexport { b as default }\nexport { default as c } from 'c'\nlet b\n`,
      'src/lib/d.ts': `export { default } from 'd'\n`,
      'test/a.test.ts': `export default 1\n`,
    },
    at: ['src/lib/a.ts:1', 'src/lib/a.ts:2', 'src/lib/d.ts:1'],
  },
  'no literal is spread into another': {
    files: {
      'src/lib/a.ts':
        'const a = { ...{ b: 1 }, c }\nconst d = [...[1, 2], ...e]\nconst f = { ...(g && { h }) }\n',
      'test/a.test.ts':
        "const a = [\n  ...(['b'] as const),\n  ...({ c } satisfies D),\n  ...(e ?? []),\n]\n",
      'bench/a.ts': 'run(...[1, 2])\n',
    },
    at: ['src/lib/a.ts:1', 'src/lib/a.ts:2', 'test/a.test.ts:2', 'test/a.test.ts:3', 'bench/a.ts:1'],
  },
  'imports of our own files end in .ts, of data in .json': {
    files: {
      'src/lib/a.ts': `import './b'\nimport './b.js'\nimport './b.ts'\nimport './b.json'\nimport 'node:fs'\nimport '..'\n`,
    },
    at: ['src/lib/a.ts:1', 'src/lib/a.ts:2', 'src/lib/a.ts:6'],
  },
}

describe('a fault is noticed:', () => {
  for (const rule of Object.keys(RULES) as Rule[]) {
    test(rule, () => {
      const { files, at } = BROKEN[rule]
      const faults = RULES[rule](readHouse(new Map(Object.entries(files))))
      assert.deepEqual(
        faults.map((fault) => fault.split(': ')[0]),
        at,
      )
    })
  }
})

function floorOf(path: string): number {
  return FLOORS.findIndex((floor) => floor.split(' | ').includes(roomOf(path)))
}
