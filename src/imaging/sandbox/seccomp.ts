import type { Libc } from './libc.ts'
import {
  CLONE,
  CLONE3,
  FORKS,
  KILL,
  LAST_KNOWN,
  MACHINES,
  PRLIMIT64,
  REFUSED_CALLS,
  TGKILL,
} from './system-calls.ts'

export interface CallRules {
  /** Whether it may start processes, which inherit the sandbox. Threads are always allowed. */
  mayFork: boolean
}

const PR_SET_SECCOMP = 22
const SECCOMP_MODE_FILTER = 2n

// The instructions of classic BPF that are needed: see seccomp(2).
const LOAD = 0x20
const JUMP_EQUAL = 0x15
const JUMP_GREATER = 0x25
const JUMP_ANY_BIT = 0x45
const RETURN = 0x06
// Offsets in `struct seccomp_data`.
const NUMBER_AT = 0
const MACHINE_AT = 4
/** The lower half of the first argument, on little-endian machines. */
const FIRST_ARGUMENT_AT = 16

const ALLOW = 0x7fff_0000
const KILL_PROCESS = 0x8000_0000
const EPERM = 0x0005_0000 | 1
const ENOSYS = 0x0005_0000 | 38

const CLONE_THREAD = 0x0001_0000
/** All CLONE_NEW… flags, which create namespaces. */
const CLONE_NEW = 0x7e02_0000

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number]

/** Denies system calls to this process and all processes that it starts. This cannot be undone. */
export function restrictCalls(libc: Libc, rules: CallRules): void {
  const filter = buildFilter(process.arch, process.pid, rules)
  const program = Buffer.alloc(16)
  program.writeUInt16LE(filter.length / 8, 0)
  program.writeBigUInt64LE(libc.addressOf(filter), 8)
  libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, libc.addressOf(program))
}

export function buildFilter(arch: string, pid: number, { mayFork }: CallRules): Buffer {
  const machine = MACHINES[arch]
  if (machine === undefined) throw new Error(`There is no table of system calls for ${arch}.`)
  const numberOf = (numbers: readonly (number | undefined)[]) => numbers[machine.column]
  const refused = Object.values({ ...REFUSED_CALLS, ...(mayFork ? {} : FORKS) }).map(numberOf)
  const list: Instruction[] = [
    [LOAD, 0, 0, MACHINE_AT],
    // System calls of another ABI have other numbers, so the process is killed.
    [JUMP_EQUAL, 1, 0, machine.audit],
    returns(KILL_PROCESS),
    [LOAD, 0, 0, NUMBER_AT],
    [JUMP_GREATER, 0, 1, LAST_KNOWN],
    returns(ENOSYS),
    ...refused.flatMap((number) => (number === undefined ? [] : whenCalled(number, [returns(EPERM)]))),
    // The C library falls back to `clone`, whose flags a filter can read.
    ...whenCalled(numberOf(CLONE3), [returns(ENOSYS)]),
    ...whenCalled(numberOf(CLONE), [
      [LOAD, 0, 0, FIRST_ARGUMENT_AT],
      [JUMP_ANY_BIT, 0, 1, CLONE_NEW],
      returns(EPERM),
      ...(mayFork ? [] : ([[JUMP_ANY_BIT, 1, 0, CLONE_THREAD], returns(EPERM)] as const)),
      returns(ALLOW),
    ]),
    ...whenCalled(numberOf(KILL), onlyOf([pid])),
    ...whenCalled(numberOf(TGKILL), onlyOf([pid])),
    ...whenCalled(numberOf(PRLIMIT64), onlyOf([0, pid])),
    returns(ALLOW),
  ]
  return Buffer.concat(list.map(encode))
}

const returns = (value: number): Instruction => [RETURN, 0, 0, value]

function whenCalled(number: number | undefined, steps: readonly Instruction[]): Instruction[] {
  return number === undefined ? [] : [[JUMP_EQUAL, 0, steps.length, number], ...steps]
}

/** For a system call whose first argument is a process id: only these ids are allowed. */
function onlyOf(pids: readonly number[]): Instruction[] {
  const allowed = pids.flatMap((pid): Instruction[] => [[JUMP_EQUAL, 0, 1, pid], returns(ALLOW)])
  return [[LOAD, 0, 0, FIRST_ARGUMENT_AT], ...allowed, returns(EPERM)]
}

function encode([code, ifTrue, ifFalse, value]: Instruction): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(ifTrue, 2)
  bytes.writeUInt8(ifFalse, 3)
  bytes.writeUInt32LE(value >>> 0, 4)
  return bytes
}
