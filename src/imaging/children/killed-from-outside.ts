/** Signals that a process causes itself: crashes, aborts and exceeded resource limits. */
const OWN_FAULTS: ReadonlySet<NodeJS.Signals> = new Set([
  ...(['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGABRT', 'SIGTRAP', 'SIGSYS'] as const),
  ...(['SIGXCPU', 'SIGXFSZ', 'SIGPIPE'] as const),
])

/** True if the out-of-memory killer or an operator ended the process, and not the file that it read. */
export const isKilledFromOutside = (signal: NodeJS.Signals | null): boolean =>
  signal !== null && !OWN_FAULTS.has(signal)
