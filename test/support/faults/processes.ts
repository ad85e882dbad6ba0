import { readdirSync, readFileSync } from 'node:fs'

interface Process {
  pid: number
  parent: number
  group: number
  state: string
  words: string
}

/** All that run now, or have ended and are not yet taken note of. Where there is /proc. */
export function processes(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
        const [state = '', parent = '', group = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
        const words = readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ')
        return [{ pid: Number(name), parent: Number(parent), group: Number(group), state, words }]
      } catch {
        // It has ended meanwhile.
        return []
      }
    })
}
