import { attributes, type Html, html } from '../lib/html.ts'
import { isKnownMessage, type Message, writeMessage } from '../lib/messages.ts'
import type { SentenceData } from '../lib/sentences.ts'
import { writeMoment, writeSize } from '../words/format.ts'
import type { Reader } from './reader.ts'
import { reasonText } from './refusal-words.ts'

type ReaderWords = Pick<Reader, 'words' | 'language'>

/** A sentence as it is known: in English, and its data if it has any. */
interface Known {
  text: string
  data: SentenceData | null | undefined
}

/** A sentence of the doctor or of a backup for the reader. What has no words, such as an error of a database, stays English. */
export function messageIn(reader: ReaderWords, element: keyof typeof elements, { text, data }: Known): Html {
  const inWords = data ? textOf(reader, data) : undefined
  const own = { class: 'breaks', lang: inWords === undefined ? 'en' : undefined, dir: 'auto' }
  return elements[element](attributes(own), inWords ?? text)
}

const elements = {
  span: (own: Html, text: string) => html`<span${own}>${text}</span>`,
  p: (own: Html, text: string) => html`<p${own}>${text}</p>`,
  li: (own: Html, text: string) => html`<li${own}>${text}</li>`,
}

function textOf({ words, language }: ReaderWords, data: SentenceData): string | undefined {
  if ('reason' in data) return reasonText(words, data)
  if (!isKnownMessage(data)) return undefined
  return writeMessage(words.messages, { ...data, params: { ...data.params, ...written(language, data) } })
}

/** Sizes and moments as the language of the reader writes them. */
function written(language: Reader['language'], { params: { bytes, at } }: Message): Message['params'] {
  return {
    ...(typeof bytes === 'number' && { size: writeSize(language, bytes) }),
    ...(typeof at === 'string' && Date.parse(at) && { at: writeMoment(language, new Date(at), 'UTC') }),
  }
}
