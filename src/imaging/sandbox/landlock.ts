import { closeSync, openSync, statSync } from 'node:fs'
import type { Libc } from './libc.ts'

/** Everything that a confined process may open. Paths that do not exist are skipped. */
export interface FileRules {
  /** Programs and libraries. */
  run: readonly string[]
  read: readonly string[]
  /** Folders in which files may be made, changed and removed. */
  write: readonly string[]
}

// These system calls have the same numbers on all architectures.
const CREATE_RULESET = 444
const ADD_RULE = 445
const RESTRICT_SELF = 446
const CREATE_RULESET_VERSION = 1n
const RULE_PATH_BENEATH = 1n

const EXECUTE = 1 << 0
const WRITE_FILE = 1 << 1
const READ_FILE = 1 << 2
const READ_DIR = 1 << 3
const REMOVE_FILE = 1 << 5
const MAKE_REG = 1 << 8
const TRUNCATE = 1 << 14

const RUN = EXECUTE | READ_FILE | READ_DIR
const READ = READ_FILE | READ_DIR
const WRITE = READ | WRITE_FILE | REMOVE_FILE | MAKE_REG | TRUNCATE
/** The rights that a rule for a file may contain; the others are for folders. */
const FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE

const O_PATH = 0x20_0000
const O_CLOEXEC = 0x8_0000

/**
 * Restricts this process and all processes that it starts to the files in the rules. They can also neither trace nor signal a
 * process outside. See landlock(7).
 */
export function restrictFiles(libc: Libc, rules: FileRules): void {
  const version = libc.syscall(CREATE_RULESET, 0n, 0n, CREATE_RULESET_VERSION)
  const handled = handledRights(version)
  const ruleset = makeRuleset(libc, version, handled)
  for (const path of rules.run) addRule(libc, ruleset, path, RUN & handled)
  for (const path of rules.read) addRule(libc, ruleset, path, READ & handled)
  for (const path of rules.write) addRule(libc, ruleset, path, WRITE & handled)
  libc.syscall(RESTRICT_SELF, BigInt(ruleset), 0n)
  closeSync(ruleset)
}

/** Each version of the kernel's ABI has more rights. Every right that it has is denied unless a rule grants it. */
function handledRights(version: number): number {
  const refer = version >= 2 ? 1 << 13 : 0
  const truncate = version >= 3 ? TRUNCATE : 0
  const ioctl = version >= 5 ? 1 << 15 : 0
  return 0x1fff | refer | truncate | ioctl
}

function makeRuleset(libc: Libc, version: number, handled: number): number {
  const attributes = Buffer.alloc(24)
  attributes.writeBigUInt64LE(BigInt(handled), 0)
  // Deny TCP bind and connect.
  attributes.writeBigUInt64LE(3n, 8)
  // Limit abstract sockets and signals to this sandbox.
  attributes.writeBigUInt64LE(3n, 16)
  const size = version < 4 ? 8n : version < 6 ? 16n : 24n
  return libc.syscall(CREATE_RULESET, libc.addressOf(attributes), size, 0n)
}

function addRule(libc: Libc, ruleset: number, path: string, rights: number): void {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory()
  if (isFolder === undefined) return
  const opened = openSync(path, O_PATH | O_CLOEXEC)
  const rule = Buffer.alloc(12)
  rule.writeBigUInt64LE(BigInt(isFolder ? rights : rights & FILE_RIGHTS), 0)
  rule.writeInt32LE(opened, 8)
  libc.syscall(ADD_RULE, BigInt(ruleset), RULE_PATH_BENEATH, libc.addressOf(rule), 0n)
  closeSync(opened)
}
