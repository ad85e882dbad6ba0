import { englishOf, type Message } from './messages.ts'
import { Refusal } from './refusal.ts'

/** A sentence for operators: as data, or in English alone, such as an error of a database. */
export type Sentence = Message | Refusal | string

/** The data of a sentence, as it is stored beside the English text for pages in other languages. */
export type SentenceData = Message | Pick<Refusal, 'reason' | 'params'>

export function textOfSentence(said: Sentence): string {
  if (typeof said === 'string') return said
  return said instanceof Refusal ? said.message : englishOf(said)
}

/** Undefined if there is only the text. */
export function dataOfSentence(said: Sentence): SentenceData | undefined {
  if (typeof said === 'string') return undefined
  return said instanceof Refusal ? { reason: said.reason, params: said.params } : said
}

/** Of each line, null for those that are only a text: JSON keeps their places. */
export const dataOfSentences = (lines: readonly Sentence[]): (SentenceData | null)[] =>
  lines.map((line) => dataOfSentence(line) ?? null)
