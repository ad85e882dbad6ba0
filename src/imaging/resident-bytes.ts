import { readFileSync } from 'node:fs'

/** What a process holds in memory; zero where the system does not tell. */
export function residentBytes(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0)
  } catch {
    return 0
  }
}
