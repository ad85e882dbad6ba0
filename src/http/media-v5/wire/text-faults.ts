import type { LooseBody } from '../../endpoint.ts'

/** Why a text field is refused; fields of another type are the schema's matter. */
export function textFaults(
  body: LooseBody,
  field: string,
  { least = 0, most }: { least?: number; most: number },
) {
  const value = body[field]
  if (typeof value !== 'string') return []
  const length = [...value].length
  if (length < least || length > most)
    return [`${field}: must be ${least} to ${most} characters long, not ${length}`]
  // PostgreSQL refuses a NUL in a text.
  return value.includes('\0') ? [`${field}: must not contain NUL`] : []
}

/** Why a field is refused whose value is one of a list of words. */
export function wordFaults(body: LooseBody, field: string, words: readonly string[]): string[] {
  const value = body[field]
  if (typeof value !== 'string' || words.includes(value)) return []
  return [`${field}: must be one of ${words.join(', ')}, not "${value.slice(0, 80)}"`]
}

/** Why a field is refused that names another thing by its id. */
export function idFaults(body: LooseBody, field: string): string[] {
  const value = body[field]
  if (typeof value !== 'string' || /^[A-Za-z0-9]{1,64}$/.test(value)) return []
  return [`${field}: must be an id of letters and digits, not "${value.slice(0, 80)}"`]
}
