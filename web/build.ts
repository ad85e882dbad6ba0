/** Writes what browsers load into build/web: NAME-HASH.js, .css and .svg, each also compressed, and manifest.json. */
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { watch as changesOf } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build } from 'esbuild'
import { isWebBuilt, sumOfWeb } from '../build.mjs'

const SOURCE = import.meta.dirname
const COMMON = join(SOURCE, '../src/common')
const TARGET = join(SOURCE, '../build/web')
const MANIFEST = join(TARGET, 'manifest.json')

/** Each is a file that pages name. Modules that they share, or import later, become chunks. */
const ENTRIES = [
  'start.ts',
  'console.ts',
  'offline.ts',
  'styles/site.css',
  'styles/plain.css',
  'styles/upload.css',
  'styles/dashboard.css',
  'styles/console.css',
  'styles/docs.css',
  'styles/parts-page.css',
  'styles/zoom.css',
]
const DRAWINGS = ['icons/icons.svg', 'icons/mark.svg']
const BROWSERS = ['chrome123', 'firefox120', 'safari17.5']

interface Manifest {
  /** SHA-256 of the sources. */
  sources: string
  /** The file of each name that pages use: `site.css` is `site-4SXQ2MBC.css`. */
  names: Record<string, string>
  files: string[]
  /** Of the build before: a page of a server that was not restarted yet may still name them. */
  filesBefore: string[]
}

interface Output {
  /** Undefined for a chunk, which no page names. */
  name: string | undefined
  file: string
  bytes: Uint8Array
}

export async function buildWeb(): Promise<void> {
  const sources = sumOfWeb()
  const before = readManifest()
  const outputs = [...(await bundles()), await serviceWorker(), ...DRAWINGS.map(drawing)]
  fs.mkdirSync(TARGET, { recursive: true })
  await Promise.all(outputs.map(write))
  const files = outputs.map(({ file }) => file).sort()
  const isSame = before && files.join() === before.files.join()
  const filesBefore = (isSame ? before.filesBefore : before?.files) ?? []
  const names = Object.fromEntries(outputs.flatMap(({ name, file }) => (name ? [[name, file]] : [])))
  replaceFile(MANIFEST, `${JSON.stringify({ sources, names, files, filesBefore } satisfies Manifest)}\n`)
  removeOthers(new Set([...files, ...filesBefore]))
}

function readManifest(): Manifest | undefined {
  try {
    return JSON.parse(fs.readFileSync(MANIFEST, 'utf8'))
  } catch {
    return undefined
  }
}

async function bundles(): Promise<Output[]> {
  const { outputFiles, metafile } = await build({
    entryPoints: ENTRIES.map((entry) => join(SOURCE, entry)),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    outdir: TARGET,
    write: false,
    bundle: true,
    splitting: true,
    format: 'esm',
    minify: true,
    metafile: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    target: BROWSERS,
    // The only module of the old kind: it would bring 0.4 KB of helpers to every page.
    alias: { 'url-parse': './islands/upload/queue/url-parse.ts' },
    logLevel: 'error',
    legalComments: 'none',
    absWorkingDir: SOURCE,
  })
  const entryOf = new Map(
    Object.entries(metafile.outputs).map(([path, { entryPoint }]) => [basename(path), entryPoint]),
  )
  return outputFiles.map(({ path, contents }) => {
    const entry = entryOf.get(basename(path))
    return {
      name: entry && basename(entry).replace(/\.ts$/, '.js'),
      file: basename(path),
      bytes: contents,
    }
  })
}

/** One file without imports: not every browser runs a worker that is a module. */
async function serviceWorker(): Promise<Output> {
  const { outputFiles } = await build({
    entryPoints: [join(SOURCE, 'service-worker.ts')],
    entryNames: '[name]-[hash]',
    outdir: TARGET,
    write: false,
    bundle: true,
    format: 'iife',
    minify: true,
    target: BROWSERS,
    logLevel: 'error',
  })
  const [{ path = '', contents = new Uint8Array() } = {}] = outputFiles
  return { name: 'service-worker.js', file: basename(path), bytes: contents }
}

/** A drawing without the spaces between its elements. */
function drawing(path: string): Output {
  const text = fs.readFileSync(join(SOURCE, path), 'utf8').replaceAll(/>\s+</g, '><').trim()
  const bytes = Buffer.from(text)
  const [name, hash] = [basename(path), createHash('sha256').update(bytes).digest('hex').slice(0, 8)]
  return { name, file: name.replace('.svg', `-${hash.toUpperCase()}.svg`), bytes }
}

const compressions = {
  '': async (bytes: Uint8Array) => bytes,
  '.gz': (bytes: Uint8Array) => promisify(gzip)(bytes, { level: 9, memLevel: 9 }),
  '.br': (bytes: Uint8Array) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
}

async function write({ file, bytes }: Output): Promise<void> {
  for (const [ending, compress] of Object.entries(compressions)) {
    const path = join(TARGET, file + ending)
    if (!fs.existsSync(path)) replaceFile(path, await compress(bytes))
  }
}

/** A server that starts meanwhile reads a whole file. */
function replaceFile(path: string, content: string | Uint8Array): void {
  const fresh = `${path}.${process.pid}`
  fs.writeFileSync(fresh, content)
  fs.renameSync(fresh, path)
}

function removeOthers(kept: ReadonlySet<string>): void {
  for (const name of fs.readdirSync(TARGET)) {
    // A number at the end: the unfinished file of a build that runs at the same time.
    const isKept = /\.(json|\d+)$/.test(name) || kept.has(name.replace(/\.(br|gz)$/, ''))
    if (!isKept) fs.rmSync(join(TARGET, name), { force: true })
  }
}

/** Builds again with every change, until the process is stopped. */
async function watch(): Promise<void> {
  await buildWeb()
  await Promise.all([SOURCE, COMMON].map(buildOnChange))
}

async function buildOnChange(folder: string): Promise<void> {
  for await (const _ of changesOf(folder, { recursive: true })) {
    // Editors report one change several times.
    if (isWebBuilt()) continue
    const startedAt = performance.now()
    await buildWeb().then(
      () => console.log(`Built in ${Math.round(performance.now() - startedAt)} ms.`),
      (error: Error) => console.error(error.message),
    )
  }
}

const isStartedDirectly =
  process.argv[1] !== undefined &&
  dirname(fs.realpathSync(process.argv[1])) === dirname(fileURLToPath(import.meta.url))
if (isStartedDirectly) {
  if (process.argv.includes('--watch')) await watch()
  else await buildWeb()
}
