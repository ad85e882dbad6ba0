/**
 * The system calls behind one operation on the file system. The C library picks by architecture: arm64 knows only the
 * calls that end in "at", x64 has both families.
 */
const variants: Record<string, readonly string[]> = {
  mkdir: ['mkdir', 'mkdirat'],
  link: ['link', 'linkat'],
  unlink: ['unlink', 'unlinkat', 'rmdir'],
  rename: ['rename', 'renameat', 'renameat2'],
}

const operations = new Map(
  Object.entries(variants).flatMap(([operation, calls]) => calls.map((call) => [call, operation])),
)

/** What a traced system call does, under one name on every architecture. */
export const operationOf = (call: string): string => operations.get(call) ?? call

/** For strace's `trace=` and `inject=`: the question mark lets it pass over calls that this architecture does not have. */
export const callsOf = (names: readonly string[]): string =>
  names
    .flatMap((operation) => variants[operation] ?? [operation])
    .map((call) => `?${call}`)
    .join(',')
