import { readQueryParameters } from '../../http/uploads/parameters.ts'
import { faultOf } from '../../lib/faults.ts'
import { invalidFields } from '../../lib/refusal.ts'

/** The format of the response to an upload. */
export type Format = 'json' | 'txt' | 'redirect'

/** Undefined if the parameter is none of them. */
export function formatOf(parameters: ReadonlyMap<string, string>): Format | undefined {
  const format = parameters.get('format') ?? 'json'
  return format === 'json' || format === 'txt' || format === 'redirect' ? format : undefined
}

/** The format of a refusal before the body is read. A fault of the query is reported later, in its order. */
export function formatInQuery(url: string): Format | undefined {
  try {
    return formatOf(readQueryParameters(url))
  } catch {
    return undefined
  }
}

/** Whether a refusal is sent as its message alone. */
export const isPlain = (format: Format | undefined): boolean => format === 'txt' || format === 'redirect'

export const unknownFormat = () => invalidFields([faultOf('format', 'uploadFormat')], 'bad-parameter')
