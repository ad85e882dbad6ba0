import { parseArgs } from 'node:util'
import { closest, suggestion } from './did-you-mean.ts'
import type { Options } from './option.ts'
import { UsageFault } from './usage-fault.ts'

/** The values that the words give to these options; every fault is told at once. */
export function readOptions(
  words: readonly string[],
  options: Options,
  help: string,
): Record<string, unknown> {
  const { given, faults } = givenTexts(words, options)
  const values: Record<string, unknown> = {}
  for (const [name, option] of Object.entries(options)) {
    const text = given.get(name) ?? option.fallback
    if (text === undefined) {
      if (option.isRequired && !faults.some((fault) => fault.startsWith(`--${name} `))) {
        faults.push(`--${name} ${option.form ?? ''} is required.`)
      }
      continue
    }
    try {
      values[name] = option.read(text)
    } catch (error) {
      faults.push(`--${name}: ${(error as Error).message}`)
    }
  }
  if (faults.length > 0) throw new UsageFault(faults, help)
  return values
}

function givenTexts(words: readonly string[], options: Options) {
  const given = new Map<string, string>()
  const faults: string[] = []
  const names = spellings(options)
  const { tokens } = parseArgs({
    args: [...words],
    options: Object.fromEntries(
      [...names].map(([spelling, name]) => [spelling, { type: typeOf(options, name) }]),
    ),
    strict: false,
    tokens: true,
  })
  for (const token of tokens) {
    if (token.kind === 'positional')
      faults.push(`"${token.value}" is not expected here: values follow an option.`)
    if (token.kind !== 'option') continue
    const name = names.get(token.name)
    if (name === undefined) {
      faults.push(`There is no option ${token.rawName}.${suggestionFor(token.name, options)}`)
    } else if (given.has(name)) {
      faults.push(`--${name} is given twice.`)
    } else if (typeOf(options, name) === 'boolean') {
      if (token.value !== undefined) faults.push(`--${name} takes no value.`)
      given.set(name, '')
    } else if (token.value === undefined || (token.value.startsWith('-') && !token.inlineValue)) {
      faults.push(`--${name} needs a value; write --${name}=VALUE when it starts with a dash.`)
    } else {
      given.set(name, token.value)
    }
  }
  return { given, faults }
}

const typeOf = (options: Options, name: string) =>
  options[name]?.form === undefined ? ('boolean' as const) : ('string' as const)

/** `--plan-id` is as good as `--plan_id`. */
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
