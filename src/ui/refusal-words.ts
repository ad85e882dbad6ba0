import { responseOfRefusal } from '../http/responses/errors.ts'
import { type BrokenRule, type Fault, textOf } from '../lib/faults.ts'
import type { Refusal } from '../lib/refusal.ts'
import type { Words } from '../words/en.ts'
import { writeSize } from '../words/format.ts'
import type { Reader } from './reader.ts'

/** What is wrong with a value, for the reader. */
export const faultText = ({ faults }: Words, rule: BrokenRule): string => textOf(faults, rule)

type ReaderWords = Pick<Reader, 'words' | 'language'>

/** Why something was refused, for the reader. A refusal that no page expects has a message in English alone. */
export function refusalText({ words, language }: ReaderWords, refusal: Refusal): string {
  const [fault] = refusal.faults
  if (fault) return faultText(words, fault)
  const { bytes } = refusal.params
  const size = typeof bytes === 'number' ? { size: writeSize(language, bytes) } : {}
  const text = reasonText(words, { reason: refusal.reason, params: { ...refusal.params, ...size } })
  if (text !== undefined) return text
  return language === 'en' ? refusal.message : statusText(words, responseOfRefusal(refusal).status)
}

/** Undefined if a reason has no words. */
export const reasonText = (
  words: Words,
  { reason, params }: Pick<Refusal, 'reason' | 'params'>,
): string | undefined => (isKnown(words, reason) ? words.refusals[reason](params) : undefined)

const isKnown = ({ refusals }: Words, code: string): code is keyof Words['refusals'] =>
  Object.hasOwn(refusals, code)

const titled = [400, 401, 403, 404, 409, 410, 413, 429, 500, 503] as const

/** The statuses that have a title and a text; others are shown as the nearest of them. */
export const titledStatus = (status: number) =>
  titled.find((each) => each === status) ?? (status >= 500 ? 503 : 400)

export const statusText = (words: Words, status: number): string => words[`error${titledStatus(status)}Text`]

/** What a form shows: a text for each field that was refused, and under an empty name what concerns none of them. */
export type FormFaults = ReadonlyMap<string, string>

export const noFaults: FormFaults = new Map()

/** The first fault of each field. Those of the entries of a list are shown at the list. */
export const faultsInWords = (words: Words, faults: readonly Fault[]): FormFaults =>
  new Map(faults.toReversed().map((fault) => [fault.field.split('.', 1).join(), faultText(words, fault)]))

export const refusalInWords = (reader: ReaderWords, refusal: Refusal): FormFaults =>
  refusal.faults.length > 0
    ? faultsInWords(reader.words, refusal.faults)
    : wholeForm(refusalText(reader, refusal))

export const wholeForm = (text: string): FormFaults => new Map([['', text]])

/** What is shown above the form, because none of its fields shows it. */
export const textsBesides = (faults: FormFaults, fields: readonly string[]): string[] =>
  [...faults].filter(([field]) => !fields.includes(field)).map(([, text]) => text)
