// Bundles src/ into build/. Loaded one by one, our 800 modules and those of the packages that every start needs take
// 2.3 s of CPU (arm64, busy machine); bundled into a few files they take 0.6 s.
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(fileURLToPath(import.meta.url))
const SOURCE = join(ROOT, 'src')
const PACKAGES = join(ROOT, 'node_modules')
const BUILD = join(ROOT, 'build')
const TEST_BUILD = join(ROOT, 'build-tests')
const STAMP = '.sources'

/** Modules that are started by their path: the program, its further processes, its decoders, their sandbox, its threads for the database, for texts, sums and files. */
const ENTRIES = [
  'main.ts',
  'further-process.ts',
  'imaging/children/worker.ts',
  'imaging/sandbox/enter.ts',
  'db/sqlite/thread.ts',
  'lib/concurrency/hash-thread.ts',
  'lib/files/file-thread.ts',
  'media/pages/markdown-thread.ts',
]

/** Packages that the program loads at each start. All others stay in node_modules: some have native code or data files. */
const BUNDLED = /^(fastify|isbot|kysely|otpauth|pg|pino|prom-client|typebox|uqr|yazl)(\/|$)/

/** The files for browsers, which web/build.ts writes. */
const WEB = join(ROOT, 'web')
/** What they share with the server. */
const COMMON = join(SOURCE, 'common')
const WEB_BUILD = join(BUILD, 'web')

/** The path of the program, which is built again if a source has changed; the source's path if the folder is read-only. */
export async function buildProgram() {
  try {
    await update({ folder: BUILD, entries: ENTRIES, sources: [SOURCE] })
  } catch (error) {
    if (!['EACCES', 'EROFS', 'EPERM'].includes(error.code)) throw error
    return join(SOURCE, 'main.ts')
  }
  return join(BUILD, 'main.js')
}

/** Bundles programs of the tests that open the app, each by its path below the root. Beside them is all that the app starts. */
export async function buildTestPrograms(paths) {
  const programs = paths.map((path) => join(ROOT, path))
  const sources = [SOURCE, ...new Set(programs.map(dirname))]
  await update({ folder: TEST_BUILD, entries: [...ENTRIES, ...programs], sources })
}

/** The path of a program of the tests in its bundle. */
export const builtTestProgram = (path) => join(TEST_BUILD, `${basename(path, '.ts')}.js`)

async function update(target) {
  const stamp = stampOf(target)
  if (readStamp(target) !== stamp) await build(target, stamp)
}

function readStamp({ folder }) {
  try {
    return fs.readFileSync(join(folder, STAMP), 'utf8')
  } catch {
    return undefined
  }
}

function stampOf({ sources, entries }) {
  let text = entries.join()
  for (const path of sources.flatMap((folder) => filesIn(folder)).sort()) {
    const { size, mtimeMs } = fs.statSync(path)
    text += `${path} ${size} ${mtimeMs}\n`
  }
  const hash = createHash('sha256').update(text)
  for (const name of ['package-lock.json', 'build.mjs'])
    hash.update(fs.existsSync(join(ROOT, name)) ? fs.readFileSync(join(ROOT, name)) : '')
  return hash.digest('hex')
}

/** Every start needs this list, and `readdirSync` with `recursive` takes four times as long in Node 20. */
function filesIn(folder, files = []) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) filesIn(path, files)
    else files.push(path)
  }
  return files
}

async function build({ folder, entries }, stamp) {
  const esbuild = await import('esbuild')
  // In a new folder, so that a process that starts in the meantime finds a complete build.
  const fresh = fs.mkdtempSync(`${folder}-`)
  try {
    const { outputFiles } = await esbuild.build({
      entryPoints: entries.map((entry) => resolve(SOURCE, entry)),
      entryNames: '[name]',
      outdir: fresh,
      write: false,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node26',
      sourcemap: 'linked',
      logLevel: 'error',
      legalComments: 'eof',
      plugins: [
        { name: 'node', setup: requireNodeModules },
        { name: 'packages', setup: keepPackagesOutside },
        { name: 'urls', setup: rewriteUrls },
      ],
    })
    for (const { path, text } of outputFiles)
      fs.writeFileSync(path, path.endsWith('.js') ? inAscii(withoutCopies(text)) : text)
    fs.writeFileSync(join(fresh, STAMP), stamp)
    if (folder === BUILD) keepWebBuild(join(fresh, 'web'))
    // Decoders run under another user id and read it too.
    fs.chmodSync(fresh, 0o755)
    replaceFolder(folder, fresh)
  } finally {
    fs.rmSync(fresh, { recursive: true, force: true })
    // esbuild's service process would keep this one alive.
    await esbuild.stop()
  }
}

/** The files for browsers are in the folder that is replaced. One that another process removes meanwhile is left out. */
function keepWebBuild(target) {
  if (!fs.existsSync(WEB_BUILD)) return
  fs.mkdirSync(target)
  for (const name of fs.readdirSync(WEB_BUILD)) {
    try {
      fs.copyFileSync(join(WEB_BUILD, name), join(target, name))
    } catch (error) {
      if (error.code !== 'ENOENT') throw error
    }
  }
}

/** Whether the files for browsers are those of the sources; without sources, as in the image, whether there are any. */
export function isWebBuilt() {
  try {
    const { sources } = JSON.parse(fs.readFileSync(join(WEB_BUILD, 'manifest.json'), 'utf8'))
    return !fs.existsSync(WEB) || sources === sumOfWeb()
  } catch {
    return false
  }
}

/** SHA-256 of everything that decides what web/build.ts writes. */
export function sumOfWeb() {
  const hash = createHash('sha256')
  for (const path of [WEB, COMMON].flatMap((folder) => filesIn(folder)).sort())
    hash.update(`${relative(ROOT, path)}\0`).update(fs.readFileSync(path))
  return hash.update(fs.readFileSync(join(ROOT, 'package-lock.json'))).digest('hex')
}

/** What a bundled package requires is bundled along with it. */
function keepPackagesOutside(plugin) {
  plugin.onResolve({ filter: /^[^./]/ }, ({ path, kind, importer }) =>
    kind === 'entry-point' || BUNDLED.test(path) || importer.startsWith(PACKAGES)
      ? undefined
      : { path, external: true },
  )
}

/**
 * Takes Node's own modules without `import`, which evaluates every lazy property of a module to make it an export:
 * `import 'node:http'` loads the whole of `fetch` and WebSocket, 75 ms of CPU.
 */
function requireNodeModules(plugin) {
  plugin.onResolve({ filter: /^[^./]/ }, ({ path }) => {
    if (!isBuiltin(path)) return undefined
    const name = path.replace(/^node:/, '')
    // esbuild names a module's variables by the last part of its path.
    return { path: `of_node_${name.replaceAll('/', '_')}`, namespace: 'node', pluginData: name }
  })
  plugin.onLoad({ filter: /.*/, namespace: 'node' }, ({ pluginData: name }) => ({
    contents: `module.exports = process.getBuiltinModule('node:${name}')`,
  }))
}

/** Uses Node's own modules as they are. esbuild makes a copy of each, with all that is lazy, to add `default` to it. */
function withoutCopies(text) {
  const names = new Set()
  return text
    .replaceAll(/\b(\w+) = __toESM\((require_of_node_\w+\(\)), 1\)/g, (_, name, module) => {
      names.add(name)
      return `${name} = ${module}`
    })
    .replaceAll(/\b(import_\w+)\.default\b/g, (all, name) => (names.has(name) ? name : all))
}

/**
 * V8 stores a source that has a character outside of Latin-1 in two bytes each: 2.7 MB more for the server. esbuild leaves
 * such characters in templates and regular expressions, where an escape means the same.
 */
const inAscii = (text) =>
  text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Adjusts `new URL('…', import.meta.url)`, because all bundled files are in one folder below the root. */
function rewriteUrls(plugin) {
  plugin.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
    const contents = fs
      .readFileSync(path, 'utf8')
      .replaceAll(/new URL\('(\.[^']*)', import\.meta\.url\)/g, (_, url) => {
        const target = relative(ROOT, resolve(dirname(path), url))
        return `new URL('${urlInBuild(target)}', import.meta.url)`
      })
    return { contents, loader: 'ts' }
  })
}

function urlInBuild(target) {
  if (!target.startsWith('src/')) return `../${target}`
  return target.endsWith('.ts') ? `./${basename(target, '.ts')}.js` : './'
}

function replaceFolder(folder, fresh) {
  const old = `${fresh}-old`
  try {
    fs.renameSync(folder, old)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
  try {
    fs.renameSync(fresh, folder)
  } catch (error) {
    // Another process has built the same sources in the meantime.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  }
  fs.rmSync(old, { recursive: true, force: true })
}

const [, started] = process.argv
if (started !== undefined && fs.realpathSync(started) === fileURLToPath(import.meta.url)) await buildProgram()
