import { parseArgs } from 'node:util'
import { closest, suggestion } from '../../lib/did-you-mean.ts'
import type { Option, Options, Positionals } from './option.ts'
import { UsageFault } from './usage-fault.ts'

/** The arguments that a command takes. */
interface Syntax {
  options: Options
  positionals: Positionals
}

/** Reads the arguments into values by name. Throws one UsageFault that lists every fault. */
export function parseCommandLine(
  args: readonly string[],
  syntax: Syntax,
  help: string,
): Record<string, unknown> {
  const { given, positional, faults, hasUnknownOption, refused } = splitArgs(args, syntax)
  const values: Record<string, unknown> = {}
  const take = (name: string, label: string, option: Option, text: string) => {
    try {
      values[name] = option.read(text)
    } catch (error) {
      faults.push(`${label}: ${(error as Error).message}`)
    }
  }
  for (const [index, [name, option]] of Object.entries(syntax.positionals).entries()) {
    const text = positional[index]
    if (text !== undefined) take(name, option.form ?? name, option, text)
    else if (hasUnknownOption)
      faults.push(`${option.form} is required; write -- before it when it starts with a dash.`)
    else faults.push(`${option.form} is required.`)
  }
  for (const [name, option] of Object.entries(syntax.options)) {
    const text = given.get(name) ?? option.fallback
    if (text !== undefined) take(name, `--${name}`, option, text)
    else if (option.isRequired && !refused.has(name))
      faults.push(
        option.isSecret
          ? `--${name} ${option.form} is required; --${name}-stdin reads it from standard input.`
          : `--${name} ${option.form ?? ''} is required.`,
      )
  }
  if (faults.length > 0) throw new UsageFault(faults, help)
  return values
}

function splitArgs(args: readonly string[], { options, positionals }: Syntax) {
  const given = new Map<string, string>()
  const positional: string[] = []
  const faults: string[] = []
  let hasUnknownOption = false
  /** Options that were given, but not as they should be. */
  const refused = new Set<string>()
  const names = spellings(options)
  const expected = Object.keys(positionals).length
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      [...names].map(([spelling, name]) => [spelling, { type: typeOf(options, name) }]),
    ),
    strict: false,
    tokens: true,
  })
  for (const token of tokens) {
    if (token.kind === 'positional') {
      if (positional.length === expected) faults.push(tooMany(token.value, expected))
      else positional.push(token.value)
    }
    if (token.kind !== 'option') continue
    const name = names.get(token.name)
    if (name === undefined) {
      // parseArgs splits an argument with one dash into a token per letter.
      const word = token.rawName.startsWith('--') ? token.rawName : (args[token.index] ?? token.rawName)
      hasUnknownOption = true
      const fault = `There is no option ${word}.${suggestionFor(word.replace(/^-+/, ''), options)}`
      if (!faults.includes(fault)) faults.push(fault)
    } else if (given.has(name)) {
      faults.push(`--${name} is given twice.`)
    } else if (typeOf(options, name) === 'boolean') {
      if (token.value !== undefined) faults.push(`--${name} does not accept a value.`)
      given.set(name, '')
    } else if (token.value === undefined || (/^-./.test(token.value) && !token.inlineValue)) {
      refused.add(name)
      faults.push(`--${name} needs a value; write --${name}=VALUE when it starts with a dash.`)
    } else {
      given.set(name, token.value)
    }
  }
  return { given, positional, faults, hasUnknownOption, refused }
}

const tooMany = (arg: string, expected: number) =>
  expected === 0
    ? `"${arg}" is not expected here: values follow an option.`
    : `"${arg}" is one argument too many; quote a value that contains spaces.`

const typeOf = (options: Options, name: string) =>
  options[name]?.form === undefined ? ('boolean' as const) : ('string' as const)

/** Accepts `--plan-id` for `--plan_id`, and vice versa. */
function spellings(options: Options): Map<string, string> {
  return new Map(
    Object.keys(options).flatMap((name) => [
      [name.replaceAll('-', '_'), name],
      [name.replaceAll('_', '-'), name],
    ]),
  )
}

function suggestionFor(word: string, options: Options): string {
  const name = closest(word, Object.keys(options))
  return suggestion(name && `--${name}`)
}
