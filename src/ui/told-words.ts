import { attributes, type Html, html } from '../lib/html.ts'
import { isKnownMessage, type Message, writeMessage } from '../lib/messages.ts'
import type { Told } from '../lib/said.ts'
import { writeMoment, writeSize } from '../words/format.ts'
import type { Reader } from './reader.ts'
import { reasonText } from './refusal-words.ts'

type ReaderWords = Pick<Reader, 'words' | 'language'>

/** A sentence as it is known: in English, and its data if it has any. */
interface Known {
  text: string
  told: Told | null | undefined
}

/** A sentence of the doctor or of a backup for the reader. What has no words, such as an error of a database, stays English. */
export function toldIn(reader: ReaderWords, element: keyof typeof elements, { text, told }: Known): Html {
  const inWords = told ? toldText(reader, told) : undefined
  const own = { class: 'breaks', lang: inWords === undefined ? 'en' : undefined, dir: 'auto' }
  return elements[element](attributes(own), inWords ?? text)
}

const elements = {
  span: (own: Html, text: string) => html`<span${own}>${text}</span>`,
  p: (own: Html, text: string) => html`<p${own}>${text}</p>`,
  li: (own: Html, text: string) => html`<li${own}>${text}</li>`,
}

function toldText({ words, language }: ReaderWords, told: Told): string | undefined {
  if ('reason' in told) return reasonText(words, told)
  if (!isKnownMessage(told)) return undefined
  return writeMessage(words.messages, { ...told, params: { ...told.params, ...written(language, told) } })
}

/** Sizes and moments as the language of the reader writes them. */
function written(language: Reader['language'], { params: { bytes, at } }: Message): Message['params'] {
  return {
    ...(typeof bytes === 'number' && { size: writeSize(language, bytes) }),
    ...(typeof at === 'string' && Date.parse(at) && { at: writeMoment(language, new Date(at), 'UTC') }),
  }
}
