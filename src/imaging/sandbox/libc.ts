/** The part of `node:ffi` that is used. It is experimental: without it two layers are missing, and decoders still start. */
interface Ffi {
  dlopen(path: null, symbols: Record<string, { arguments: string[]; return: string }>): { functions: unknown }
  getRawPointer(bytes: Uint8Array): bigint
  getInt32(pointer: bigint, offset: number): number
}

interface Functions {
  prctl(option: number, a: bigint, b: bigint, c: bigint, d: bigint): number
  syscall(number: bigint, a: bigint, b: bigint, c: bigint, d: bigint): bigint
  fcntl(descriptor: number, command: number, value: bigint): number
  __errno_location(): bigint
}

/** The functions of the C library that a process needs to confine itself. */
export interface Libc {
  prctl(option: number, first: bigint, second?: bigint): void
  /** Returns the kernel's result; throws if it is an error. */
  syscall(number: number, ...args: bigint[]): number
  /** Clears close-on-exec, so that the descriptor survives `execve`. */
  keepOpen(descriptor: number): void
  addressOf(bytes: Uint8Array): bigint
}

const F_SETFD = 2

export function openLibc(): Libc {
  const ffi = process.getBuiltinModule('node:ffi') as unknown as Ffi | undefined
  if (process.platform !== 'linux' || ffi === undefined)
    throw new Error('node:ffi is not available: it needs Linux and a Node that has it.')
  const word = 'uint64'
  const { functions } = ffi.dlopen(null, {
    prctl: { arguments: ['int32', word, word, word, word], return: 'int32' },
    syscall: { arguments: ['int64', word, word, word, word], return: 'int64' },
    fcntl: { arguments: ['int32', 'int32', word], return: 'int32' },
    __errno_location: { arguments: [], return: 'pointer' },
  })
  const libc = functions as Functions
  const checked = (name: string, answer: number | bigint): number => {
    const code = Number(answer)
    if (code < 0) throw new Error(`${name} failed with ${ffi.getInt32(libc.__errno_location(), 0)}.`)
    return code
  }
  return {
    prctl: (option, first, second = 0n) =>
      void checked(`prctl ${option}`, libc.prctl(option, first, second, 0n, 0n)),
    syscall: (number, a = 0n, b = 0n, c = 0n, d = 0n) =>
      checked(`syscall ${number}`, libc.syscall(BigInt(number), a, b, c, d)),
    keepOpen: (descriptor) => void checked('fcntl', libc.fcntl(descriptor, F_SETFD, 0n)),
    addressOf: (bytes) => ffi.getRawPointer(bytes),
  }
}
