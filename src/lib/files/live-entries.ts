import { utimes } from 'node:fs/promises'

/** Temporary files and folders that this process is using. */
const alive = new Set<string>()
let timer: NodeJS.Timeout | undefined

const beatMs = 60_000

/** Ten missed heartbeats: the process that made the entry has ended, or was stopped for so long that its work is abandoned. */
export const silentMs = 10 * beatMs

/**
 * Protects a temporary file or folder from the sweeps of all processes until it is disposed: its modification time is set
 * every minute, because nothing else changes it while a long file is sent.
 */
export function keepAlive(path: string): Disposable {
  alive.add(path)
  timer ??= setInterval(beat, beatMs).unref()
  return { [Symbol.dispose]: () => void alive.delete(path) }
}

export const isAlive = (path: string): boolean => alive.has(path)

function beat(): void {
  const now = new Date()
  // Fails for an entry that is not created yet, or removed already.
  for (const path of alive) utimes(path, now, now).catch(() => undefined)
  if (alive.size > 0) return
  clearInterval(timer)
  timer = undefined
}
