import { createHash } from 'node:crypto'
import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Refusal } from '../../lib/refusal.ts'

/** The addresses of assets begin with it, on every host. */
export const assetsPrefix = '/_/assets/'

export type AssetName =
  | 'start.js'
  | 'console.js'
  | 'service-worker.js'
  | 'offline.js'
  | 'site.css'
  | 'plain.css'
  | 'upload.css'
  | 'dashboard.css'
  | 'console.css'
  | 'docs.css'
  | 'parts-page.css'
  | 'zoom.css'
  | 'icons.svg'
  | 'mark.svg'

export type Encoding = 'br' | 'gzip' | 'identity'

export interface Asset {
  contentType: string
  /** The SHA-256 of the plain bytes. */
  hash: string
  bytes: Readonly<Record<Encoding, Buffer>>
}

interface Assets {
  names: Readonly<Record<string, string>>
  /** Of this build and of the one before. */
  files: ReadonlyMap<string, Asset>
}

const folder = fileURLToPath(new URL('../../../build/web', import.meta.url))
const manifestPath = join(folder, 'manifest.json')

const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
}

let held: Assets | undefined

/** Reads the build into memory at the first call. */
export function loadAssets(): Assets {
  held ??= readBuild()
  return held
}

/** The path of a file that pages name, for an attribute. */
export function assetPath(name: AssetName): string {
  const file = loadAssets().names[name]
  if (file === undefined) throw notBuilt()
  return assetsPrefix + file
}

export const assetOf = (file: string): Asset | undefined => loadAssets().files.get(file)

/** In development a new build counts without a restart. */
export function watchAssets(): Disposable {
  const reload = () => {
    held = readBuild()
  }
  watchFile(manifestPath, { interval: 300, persistent: false }, reload)
  return { [Symbol.dispose]: () => unwatchFile(manifestPath, reload) }
}

const notBuilt = (cause?: unknown) =>
  new Refusal(
    'unavailable',
    'web-not-built',
    'The files for browsers are missing in build/web. Build them: node boot.mjs web',
    { cause },
  )

function readBuild(): Assets {
  try {
    const { names, files, filesBefore } = JSON.parse(readFileSync(manifestPath, 'utf8'))
    const current: string[] = files
    // Of the build before, a file that is gone is no fault.
    const before = (filesBefore as string[]).flatMap((file) => readBefore(file))
    return { names, files: new Map([...before, ...current.map((file) => [file, readAsset(file)] as const)]) }
  } catch (error) {
    throw notBuilt(error)
  }
}

function readBefore(file: string): [string, Asset][] {
  try {
    return [[file, readAsset(file)]]
  } catch {
    return []
  }
}

function readAsset(file: string): Asset {
  const path = join(folder, file)
  const identity = readFileSync(path)
  return {
    contentType: contentTypes[extname(file)] ?? 'application/octet-stream',
    hash: createHash('sha256').update(identity).digest('base64url').slice(0, 22),
    bytes: { identity, gzip: readFileSync(`${path}.gz`), br: readFileSync(`${path}.br`) },
  }
}
