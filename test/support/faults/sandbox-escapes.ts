import { spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'

/** What a hostile decoder knows of the machine. */
export interface Surroundings {
  serverPid: number
  /** A port on loopback on which a server listens. */
  port: number
  /** Holds `secret`, which everybody may read, and is open to all. */
  folder: string
}

type Escape = (around: Surroundings) => unknown

/** Every way out of a decoder: each returns when it is open, and throws when it is closed. */
export const escapes: Readonly<Record<string, Escape>> = {
  'environment of the server': ({ serverPid }) => fs.readFileSync(`/proc/${serverPid}/environ`),
  'memory of the server': ({ serverPid }) => fs.closeSync(fs.openSync(`/proc/${serverPid}/mem`, 'r')),
  'descriptors of the server': ({ serverPid }) => fs.readdirSync(`/proc/${serverPid}/fd`),
  'a signal to the server': ({ serverPid }) => process.kill(serverPid, 0),
  'tracing the server': ({ serverPid }) => callKernel('ptrace', BigInt(serverPid)),
  'a file that everybody may read': ({ folder }) => fs.readFileSync(join(folder, 'secret')),
  'the list of a folder': ({ folder }) => fs.readdirSync(folder),
  'the work of other decoders': () => fs.readdirSync('..'),
  'accounts of the machine': () => fs.readFileSync('/etc/passwd'),
  'a new file elsewhere': ({ folder }) => fs.writeFileSync(join(folder, 'left'), ''),
  'a changed file elsewhere': ({ folder }) => fs.appendFileSync(join(folder, 'secret'), 'more'),
  'a removed file elsewhere': ({ folder }) => fs.rmSync(join(folder, 'extra')),
  'another mode of a file': ({ folder }) => fs.chmodSync(join(folder, 'secret'), 0o600),
  'a link to a file elsewhere': ({ folder }) => fs.symlinkSync(join(folder, 'secret'), 'job/link'),
  'another name of a file elsewhere': ({ folder }) => fs.linkSync(join(folder, 'secret'), 'job/same'),
  'code of the next decoder': () => {
    const compiled = process.env.NODE_COMPILE_CACHE ?? ''
    const [version = ''] = fs.readdirSync(compiled)
    fs.writeFileSync(join(compiled, version, 'planted'), '')
  },
  'code of the server': () => fs.writeFileSync(new URL('../../../src/planted.ts', import.meta.url), ''),
  'another program': () => {
    const { error } = spawnSync('/bin/true')
    if (error) throw error
  },
  'the network, by TCP': async ({ port }) => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect').finally(() => socket.destroy())
  },
  'the network, by UDP': async () => {
    const socket = createSocket('udp4')
    socket.bind()
    await once(socket, 'listening').finally(() => socket.close())
  },
  'a namespace of its own': () => callKernel('unshare', 0x4000_0000n),
  'the account of the administrator': () => process.setuid?.(0),
}

export async function tryEscapes(around: Surroundings): Promise<Record<string, string>> {
  const tried: Record<string, string> = {}
  for (const [name, way] of Object.entries(escapes)) {
    try {
      await way(around)
      tried[name] = 'open'
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      tried[name] = String(code ?? message)
    }
  }
  return tried
}

/** Calls that Node has no words for. */
function callKernel(name: 'ptrace' | 'unshare', word: bigint): void {
  const ffi = process.getBuiltinModule('node:ffi') as any
  const parameters = ['int64', 'uint64', 'uint64', 'uint64', 'uint64']
  const { functions } = ffi.dlopen(null, { syscall: { arguments: parameters, return: 'int64' } })
  const number = { ptrace: { x64: 101n, arm64: 117n }, unshare: { x64: 272n, arm64: 97n } }[name]
  const of = number[process.arch as 'x64' | 'arm64']
  // PTRACE_SEIZE does not stop the process.
  const words = name === 'ptrace' ? [0x4206n, word, 0n, 0n] : [word, 0n, 0n, 0n]
  const answer = functions.syscall(of, ...words)
  if (Number(answer) < 0) throw new Error(`${name} is refused`)
}
