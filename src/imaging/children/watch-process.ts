import { cpuSeconds, residentBytes } from './process-usage.ts'

export interface ProcessLimits {
  maxMemoryBytes: number
  /** CPU time from now on. */
  maxCpuSeconds: number
  /** Wall-clock time, which on a busy machine is much more than CPU time. */
  maxWallSeconds: number
}

export type ExceededLimit = 'memory' | 'cpu' | 'wall'

const CHECK_EVERY_MS = 200

/** Watches a process until disposed, and reports the first limit that it exceeds. */
export function watchProcess(
  pid: number | undefined,
  limits: ProcessLimits,
  onExceeded: (limit: ExceededLimit) => void,
): Disposable {
  let usedAtStart: number | undefined
  let isOver = false
  const report = (limit: ExceededLimit) => {
    if (!isOver) onExceeded(limit)
    isOver = true
  }
  const checks = setInterval(async () => {
    if (residentBytes(pid) > limits.maxMemoryBytes) return report('memory')
    const used = await cpuSeconds(pid)
    // Read at the first check and not at the start: most jobs end before it, and need no reading then.
    usedAtStart ??= used
    if (used === undefined || usedAtStart === undefined) return
    if (used - usedAtStart >= limits.maxCpuSeconds) report('cpu')
  }, CHECK_EVERY_MS)
  const timer = setTimeout(() => report('wall'), limits.maxWallSeconds * 1_000)
  return {
    [Symbol.dispose]() {
      isOver = true
      clearInterval(checks)
      clearTimeout(timer)
    },
  }
}
