import { Refusal } from '../../lib/refusal.ts'

/** How an upload wants to be answered. */
export type Format = 'json' | 'txt' | 'redirect'

/** Nothing where the word is none of them. */
export function formatOf(parameters: ReadonlyMap<string, string>): Format | undefined {
  const word = parameters.get('format') ?? 'json'
  return word === 'json' || word === 'txt' || word === 'redirect' ? word : undefined
}

/** Whether a refusal is told by its message alone. */
export const isPlain = (format: Format | undefined): boolean => format === 'txt' || format === 'redirect'

export const unknownFormat = () =>
  new Refusal('invalid', 'bad-parameter', 'format: must be json, redirect or txt')
