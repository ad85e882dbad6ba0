import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'
import { decoderUnavailable } from '../errors.ts'
import { type InnerSandbox, innerPrefix } from './inner-sandbox.ts'

export type SandboxLayer =
  | 'network'
  | 'memory'
  | 'file-size'
  | 'descriptors'
  | 'privileges'
  | 'account'
  | 'files'
  | 'calls'

/** What a decoder can do if the layer is missing. */
export const layerTexts: Readonly<Record<SandboxLayer, string>> = {
  network: 'can reach the network',
  memory: 'has no hard memory limit, only a check five times a second',
  'file-size': 'can write files of any size',
  descriptors: 'can open any number of files',
  privileges: 'keeps the privileges of the server',
  account: 'runs under the account of the server',
  files: 'can open every file that its account may open',
  calls: 'can use every system call',
}

/** The sandbox that this machine allows: a command prefix that starts a program in it. */
export interface Confinement {
  prefix: readonly string[]
  /** The layers that this machine refuses. */
  missing: readonly SandboxLayer[]
  /** The user id of the child, if it differs from the server's. */
  ownId: number | undefined
  hasNetwork: boolean
  hasMemoryLimit: boolean
}

/** V8 and the threads reserve this much writable memory without using it. */
const RESERVED_BYTES = 805_306_368
/** Larger than any upload, because a child writes a changed copy of the upload. */
const MAX_FILE_BYTES = 68_719_476_736

/** A user id that no account has: below 65536, which containers map, and above the ids that systems assign. */
export const DECODER_ID = 64_738

const run = promisify(execFile)

export interface ProgramLimits {
  memoryBytes: number
  fileBytes: number
  seconds: number
}

type Limits = Readonly<Record<'memory' | 'file-size' | 'descriptors' | 'rest', readonly string[]>>

/** Limits of our own decoders, each of which serves many files. */
const limitsOfDecoder = (memoryBytes: number): Limits => ({
  memory: [`--data=${memoryBytes + RESERVED_BYTES}`],
  'file-size': [`--fsize=${MAX_FILE_BYTES}`],
  descriptors: ['--nofile=256'],
  rest: ['--core=0'],
})

/** Limits of a program that reads one file and writes one small file. */
const limitsOfProgram = ({ memoryBytes, fileBytes, seconds }: ProgramLimits): Limits => ({
  memory: [`--as=${memoryBytes}`],
  'file-size': [`--fsize=${fileBytes}`],
  descriptors: ['--nofile=64'],
  // SIGXCPU at the soft limit, SIGKILL at the hard limit.
  rest: [`--cpu=${seconds}:${seconds + 1}`, '--core=0'],
})

interface ConfinementTest {
  inner: InnerSandbox
  /** Starts the program in this sandbox; throws if it does not start. */
  start(confinement: Confinement): Promise<void>
}

export const confineDecoder = (memoryBytes: number, test: ConfinementTest): Promise<Confinement> =>
  findConfinement(limitsOfDecoder(memoryBytes), test, 'limits-first')

export const confineProgram = (limits: ProgramLimits, test: ConfinementTest): Promise<Confinement> =>
  findConfinement(limitsOfProgram(limits), test, 'limits-last')

/** Finds the strongest sandbox in which the program starts. A machine may refuse any layer; the others are still used. */
async function findConfinement(
  limits: Limits,
  { inner, start }: ConfinementTest,
  order: 'limits-first' | 'limits-last',
): Promise<Confinement> {
  const outer = await findOuterSandbox(limits)
  let lastError: unknown
  for (const choice of choicesOf(outer)) {
    const confinement = confinementOf(outer, choice, inner, order)
    try {
      await start(confinement)
      return confinement
    } catch (error) {
      if (isUnrelatedToSandbox(error)) throw error
      lastError = error
    }
  }
  throw lastError
}

/** A killed child or a closing server says nothing about the sandbox, so no layer is dropped. */
const isUnrelatedToSandbox = (error: unknown) =>
  (error as { code?: string }).code !== 'decoder-unavailable' ||
  (error as { cause?: unknown }).cause === 'the server is closing'

interface OuterSandbox {
  network: readonly string[]
  /** The options of `prlimit` for each limit that may be set. */
  limits: ReadonlyMap<string, readonly string[]>
  privileges: readonly string[]
  account: readonly string[]
  missing: readonly SandboxLayer[]
}

/** A container may have a program and forbid its system calls, so each program is tried with the options that are used. */
async function findOuterSandbox(limits: Limits): Promise<OuterSandbox> {
  const id = String(DECODER_ID)
  const privileges = {
    account: [`--reuid=${id}`, `--regid=${id}`, '--clear-groups'],
    noNew: ['--no-new-privs'],
    capabilities: ['--bounding-set=-all', '--inh-caps=-all'],
    deathSignal: ['--pdeathsig', 'KILL'],
  }
  const [network, working, { account = [], noNew = [], capabilities = [], deathSignal = [] }] =
    await Promise.all([
      firstThatWorks([
        ['unshare', '--net', '--'],
        ['unshare', '--user', '--map-current-user', '--net', '--'],
      ]),
      workingOptions('prlimit', limits),
      workingOptions('setpriv', privileges),
    ])
  const isRoot = process.getuid?.() === 0
  const missingLimits = Object.keys(limits).filter((name) => !(name in working) && name !== 'rest')
  const hasPrivileges = isRoot && capabilities.length === 0
  return {
    network,
    limits: new Map(Object.entries(working)),
    privileges: [...noNew, ...capabilities, ...deathSignal],
    account,
    missing: [
      ...(missingLimits as SandboxLayer[]),
      ...(noNew.length === 0 || hasPrivileges ? (['privileges'] as const) : []),
    ],
  }
}

type Options = Readonly<Record<string, readonly string[]>>

/** All options if the program takes them together, which most machines allow; else those that it takes one by one. */
async function workingOptions<T extends Options>(program: string, options: T): Promise<Partial<T>> {
  if (await works([program, ...Object.values(options).flat(), '--'])) return options
  const tried = Object.entries(options).map(async ([name, words]) => {
    const isWorking = await works([program, ...words, '--'])
    return isWorking ? [[name, words]] : []
  })
  return Object.fromEntries((await Promise.all(tried)).flat())
}

interface Choice {
  account: boolean
  files: boolean
  calls: boolean
}

/** The strongest first. */
function choicesOf({ account }: OuterSandbox): Choice[] {
  const all = [
    { account: true, files: true, calls: true },
    { account: false, files: true, calls: true },
    { account: true, files: true, calls: false },
    { account: true, files: false, calls: true },
    { account: false, files: true, calls: false },
    { account: false, files: false, calls: true },
    { account: true, files: false, calls: false },
    { account: false, files: false, calls: false },
  ]
  return all.filter((choice) => !choice.account || account.length > 0)
}

function confinementOf(
  outer: OuterSandbox,
  choice: Choice,
  inner: InnerSandbox,
  order: 'limits-first' | 'limits-last',
): Confinement {
  const { account, files, calls } = choice
  const limitOptions = [...outer.limits.values()].flat()
  const limits = limitOptions.length > 0 ? ['prlimit', ...limitOptions, '--'] : []
  const privileges = [...(account ? outer.account : []), ...outer.privileges]
  const dropped = privileges.length > 0 ? ['setpriv', ...privileges, '--'] : []
  const entered = innerPrefix({
    ...inner,
    files: files ? inner.files : undefined,
    calls: calls ? inner.calls : undefined,
  })
  const hasNetwork = outer.network.length === 0 && !calls
  return {
    // `unshare` comes first, because a new user namespace resets the parent-death signal. Limits of a program come last, because
    // Node, which enters the inner sandbox, needs more memory than the program may have.
    prefix:
      order === 'limits-first'
        ? [...outer.network, ...limits, ...dropped, ...entered]
        : [...outer.network, ...dropped, ...entered, ...limits],
    missing: [
      ...(hasNetwork ? (['network'] as const) : []),
      ...outer.missing,
      // If the server is not root and Landlock limits the files, a user id of its own adds nothing.
      ...(account || (files && process.getuid?.() !== 0) ? [] : (['account'] as const)),
      ...(files ? [] : (['files'] as const)),
      ...(calls ? [] : (['calls'] as const)),
    ],
    ownId: account ? DECODER_ID : undefined,
    hasNetwork,
    hasMemoryLimit: outer.limits.has('memory'),
  }
}

/** Throws if the command does not run. */
export async function checkRuns([program = '', ...args]: readonly string[]): Promise<void> {
  await run(program, args, { cwd: tmpdir(), env: {}, timeout: 20_000 }).catch((error) =>
    Promise.reject(decoderUnavailable(error)),
  )
}

async function firstThatWorks(candidates: readonly string[][]): Promise<readonly string[]> {
  for (const candidate of candidates) if (await works(candidate)) return candidate
  return []
}

/** Whether the machine lets a program run behind this prefix. */
const works = ([program = '', ...args]: readonly string[]): Promise<boolean> =>
  run(program, [...args, 'true'], { env: {}, timeout: 5_000 }).then(
    () => true,
    () => false,
  )
