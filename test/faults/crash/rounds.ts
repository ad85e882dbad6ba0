// What all drivers have in common: each runs as a process of its own and does what it is told, round by round,
// until it is killed or there is nothing more to do. What happens is printed at once.
import crypto from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { startSqliteThreads } from '../../../src/db/sqlite/threads.ts'
import { patchFile } from '../../../src/lib/files/file-threads.ts'

/** What a driver is told to do. */
export interface Task {
  verb: string
  folder: string
  /** Another one makes other names and keys. */
  seed?: string
}

/** A task with everything open for it. */
export interface Round extends AsyncDisposable {
  perform(): Promise<void>
}

/** Printed by a driver whose work ends before its app is closed. */
export const restWord = 'at rest'

export async function playRounds(open: (task: Task) => Promise<Round>): Promise<void> {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
  for (let line = await lines.next(); !line.done; line = await lines.next()) {
    const task = JSON.parse(line.value) as Task
    foretell(task.seed ?? '')
    const round = await open(task)
    await comeToRest()
    say(`ready ${JSON.stringify(threads())}`)
    await lines.next()
    await round.perform()
    await round[Symbol.asyncDispose]()
    say('over')
  }
}

export const say = (line: string): void => void writeSync(1, `${line}\n`)

/** The same names for the same task: then the same system calls come from the same threads. */
function foretell(seed: string): void {
  let drawn = 0
  const drawnBytes = (size: number) => {
    drawn += 1
    return crypto.createHash('shake256', { outputLength: size }).update(`${seed} ${drawn}`).digest()
  }
  crypto.randomBytes = drawnBytes as typeof crypto.randomBytes
  crypto.randomInt = ((below: number) => drawnBytes(6).readUIntBE(0, 6) % below) as typeof crypto.randomInt
  syncBuiltinESMExports()
}

/** Starts the threads that work on files and databases, and waits for them: what they load would be counted. */
async function comeToRest(): Promise<void> {
  await stat('/')
  startSqliteThreads()
  // No file is changed; the thread has started when it answers.
  await patchFile('/', []).catch(() => undefined)
  for (let looks = 0; looks < 3; looks += 1) {
    await setTimeout(10)
    if (!threads().every(isAtRest)) looks = -1
  }
}

/** From the oldest to the youngest; numbers begin anew now and then. */
function threads(): number[] {
  // Systems without this folder are those where nothing is traced.
  const numbers = existsSync('/proc/self/task') ? readdirSync('/proc/self/task').map(Number) : []
  const starts = new Map(numbers.map((thread) => [thread, Number(statOf(thread)[19])]))
  return numbers.sort((a, b) => (starts.get(a) ?? 0) - (starts.get(b) ?? 0) || a - b)
}

/** One that waits for a processor or for the disk is not at rest. */
const isAtRest = (thread: number): boolean => thread === process.pid || statOf(thread)[0] === 'S'

/** What stands behind the name: the state first, the time of its start in the twentieth place. */
function statOf(thread: number): string[] {
  try {
    const text = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    // It has ended just now.
    return []
  }
}
