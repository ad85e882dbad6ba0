import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { test } from 'vitest'

interface Locked {
  version?: string
  resolved?: string
  integrity?: string
  optional?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
  hasInstallScript?: boolean
  optionalDependencies?: Record<string, string>
}

const lockfile: { packages: Record<string, Locked> } = JSON.parse(
  readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
)

/** Machines that an installation must work on, whichever of them wrote the lockfile. */
const PLATFORMS = {
  'linux-x64': /linux-x64(?:-gnu)?$/,
  'linux-arm64': /linux-arm64(?:-gnu)?$/,
  'darwin-x64': /darwin-x64$/,
  'darwin-arm64': /darwin-arm64$/,
} as const

type Packages = Record<string, Locked>

/** `name of a family: what the lockfile lacks`, for each package that leaves its native part to others. */
function missingIn(packages: Packages): string[] {
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) => {
    const wanted = Object.keys(optionalDependencies).filter((name) =>
      Object.values(PLATFORMS).some((ending) => ending.test(name)),
    )
    return wanted
      .filter((name) => !isLocked(packages, path, name))
      .map((name) => `${path || 'terrace'}: ${name}`)
  })
}

/** Beside the package that asks for it or further out, as Node looks for it. */
function isLocked(packages: Packages, path: string, name: string): boolean {
  const parts = path === '' ? [] : path.split(/\/?node_modules\//).slice(1)
  return [...parts.keys(), parts.length].some((depth) => {
    const folder = parts.slice(0, depth).map((part) => `node_modules/${part}/`)
    return packages[`${folder.join('')}node_modules/${name}`]?.version !== undefined
  })
}

test('the lockfile lists the native packages of every family for every platform that the family offers', () => {
  assert.deepEqual(missingIn(lockfile.packages), [])
})

test('our own native packages, Node and FFmpeg, are there for all four platforms', () => {
  const ours = Object.keys(lockfile.packages['']?.optionalDependencies ?? {})
  for (const family of [/^node-(?:bin-)?/, /^@seydx\/node-av-/]) {
    const members = ours.filter((name) => family.test(name))
    for (const [platform, ending] of Object.entries(PLATFORMS)) {
      const [name = `${family} for ${platform}`] = members.filter((each) => ending.test(each))
      const locked = lockfile.packages[`node_modules/${name}`]
      assert.deepEqual([name, locked?.optional], [name, true])
      assert.deepEqual([`${locked?.os}-${locked?.cpu}`], [platform], name)
    }
  }
})

test('a native package that is taken out of the lockfile is named', () => {
  const families = Object.entries(lockfile.packages).filter(([, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).some((name) => PLATFORMS['linux-x64'].test(name)),
  )
  assert.ok(families.length >= 5, `${families.length} families`)
  for (const [path, { optionalDependencies = {} }] of families) {
    for (const name of Object.keys(optionalDependencies)) {
      if (!Object.values(PLATFORMS).some((ending) => ending.test(name))) continue
      const less = Object.entries(lockfile.packages).filter(
        ([each]) => !each.endsWith(`node_modules/${name}`),
      )
      assert.ok(missingIn(Object.fromEntries(less)).includes(`${path || 'terrace'}: ${name}`), name)
    }
  }
})

test('the lockfile names no address, so that every installation asks the registry that it is set to', () => {
  const named = Object.entries(lockfile.packages).filter(([, { resolved }]) => resolved !== undefined)
  assert.deepEqual(
    named.map(([path]) => path),
    [],
  )
})

test('the lockfile has a checksum of every package', () => {
  const bare = Object.entries(lockfile.packages).filter(([path, { integrity }]) => path !== '' && !integrity)
  assert.deepEqual(
    bare.map(([path]) => path),
    [],
  )
})

/** Whether one of our machines would install it. */
const isForUs = (path: string, { os }: Locked) =>
  os === undefined || Object.values(PLATFORMS).some((ending) => ending.test(path))

/** npm builds these without being told to by a script. */
const builtUnasked = () =>
  globSync('node_modules/{*,@*/*}/binding.gyp', { cwd: fileURLToPath(new URL('../../', import.meta.url)) })

test('npm knows every package whose install script it must not run, and does not ask', () => {
  const { allowScripts }: { allowScripts: Record<string, boolean> } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  )
  const withScript = Object.entries(lockfile.packages)
    .filter(([path, locked]) => locked.hasInstallScript === true && isForUs(path, locked))
    .map(([path]) => path)
  const names = [...withScript, ...builtUnasked().map((path) => path.replace('/binding.gyp', ''))].map(
    (path) => path.replace(/^.*node_modules\//, ''),
  )
  assert.deepEqual(
    Object.entries(allowScripts).toSorted(),
    [...new Set(names)].toSorted().map((name) => [name, false]),
  )
})
