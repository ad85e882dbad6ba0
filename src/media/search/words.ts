import { fileNameOf, type StoredFile } from '../files/stored-file.ts'
import { spelled, wordsOf } from './words/words.ts'

/** The texts of a file that are searched. */
export type SearchedFile = Pick<StoredFile, 'title' | 'name' | 'extension' | 'description'>

/** A file as the index knows it. */
export type IndexedFile = SearchedFile & { id: string; createdAt: Date }

/** The words of each field, spelled, each with a space before it. */
export interface FileWords {
  title: string
  tags: string
  name: string
  description: string
}

const mostWords = 8_000
/** PostgreSQL keeps 256 places of a word. */
const mostTimes = 255
/** A `tsvector` has at most 1 MiB; 8,000 words in ordinary texts have a tenth of this. */
const mostCharacters = 800_000

/** Stands where a word is not found any more, and between tags, so that no phrase reaches from one to the next. */
const filler = 'z'

export function fileWords(file: SearchedFile, tags: readonly string[]): FileWords {
  const times = new Map<string, number>()
  let wordsLeft = mostWords
  let charactersLeft = mostCharacters

  function spelledOnce(word: string): string[] {
    const text = spelled(word)
    if (text.length >= charactersLeft) wordsLeft = 0
    if (wordsLeft === 0) return []
    wordsLeft -= 1
    charactersLeft -= text.length + 1
    const count = (times.get(text) ?? 0) + 1
    times.set(text, count)
    return [count > mostTimes ? filler : text]
  }

  const fieldOf = (texts: readonly string[]): string =>
    texts
      .map((text) => wordsOf(text).flatMap(spelledOnce))
      .filter((words) => words.length > 0)
      .flatMap((words, index) => (index === 0 ? words : [filler, ...words]))
      .map((word) => ` ${word}`)
      .join('')

  return {
    title: fieldOf([file.title ?? '']),
    tags: fieldOf(tags),
    name: fieldOf([fileNameOf(file)]),
    description: fieldOf([file.description ?? '']),
  }
}
