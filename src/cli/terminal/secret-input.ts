import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { ReadStream } from 'node:tty'
import type { Terminal } from './terminal.ts'
import { UsageFault } from './usage-fault.ts'

/** Standard input: a terminal, a pipe or a file. */
export type Input = NodeJS.ReadableStream & Partial<Pick<ReadStream, 'isTTY'>>

/** All of standard input without its last line break. */
export const readSecret = async (input: Input): Promise<string> => (await text(input)).replace(/\r?\n$/, '')

/** Asks twice, until both are the same. What is typed does not appear. */
export async function askSecret(input: Input, terminal: Terminal, name: string): Promise<string> {
  for (;;) {
    const first = await ask(input, terminal, `New ${name}: `)
    const second = await ask(input, terminal, 'Repeat it: ')
    if (first === second && first !== '') return first
    terminal.print(first === second ? `The ${name} is empty. Try again.` : 'They differ. Try again.')
  }
}

async function ask(input: Input, terminal: Terminal, question: string): Promise<string> {
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input, output: hidden, terminal: true })
  terminal.redraw(question)
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve)
      for (const event of ['close', 'SIGINT'])
        lines.once(event, () => reject(new UsageFault(['No answer was given.'])))
    })
  } finally {
    lines.close()
    terminal.print('')
  }
}
