import { Refusal } from '../../lib/refusal.ts'
import { readQueryParameters } from './parameters.ts'

/** How an upload wants to be answered. */
export type Format = 'json' | 'txt' | 'redirect'

/** Nothing where the word is none of them. */
export function formatOf(parameters: ReadonlyMap<string, string>): Format | undefined {
  const word = parameters.get('format') ?? 'json'
  return word === 'json' || word === 'txt' || word === 'redirect' ? word : undefined
}

/** How a refusal is to be told before the body is read. What is wrong with the query is told in its turn. */
export function formatInQuery(url: string): Format | undefined {
  try {
    return formatOf(readQueryParameters(url))
  } catch {
    return undefined
  }
}

/** Whether a refusal is told by its message alone. */
export const isPlain = (format: Format | undefined): boolean => format === 'txt' || format === 'redirect'

export const unknownFormat = () =>
  new Refusal('invalid', 'bad-parameter', 'format: must be json, redirect or txt')
