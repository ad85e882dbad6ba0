import { shortRuns } from '../../lib/transliterate.ts'
import { fileNameOf, type StoredFile } from '../files/stored-file.ts'

/** Raised when the rules below, or those of the search, change: then the job `index-texts` makes all rows anew. */
export const textVersion = 1

/**
 * The form in which texts are compared, searched and sorted: without case, marks and compatibility forms. A final sigma is an
 * ordinary one.
 */
export const textForm = (text: string): string =>
  isAscii(text)
    ? text.toLowerCase()
    : shortRuns(text)
        .normalize('NFKC')
        .toLowerCase()
        .replaceAll('ς', 'σ')
        .normalize('NFD')
        .replaceAll(/\p{Mn}/gu, '')
        .normalize('NFC')

/** Most names and many titles: they have no other form than in lower case, and every upload makes some of them. */
const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)

/** By which tags, and albums by their titles, are sorted. Never empty: an empty form is one that is missing. */
export const sortForm = (text: string): string => textForm(text) || text

const longestWord = 64

/** Scripts that are written without spaces: each character is a word. By extensions, so that the mark ー counts as Kana. */
const unspaced = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]/u

/**
 * The words of a text in their order, as runs: the characters of one run of Han or Kana belong together, every other word
 * stands alone.
 */
export function runsOf(text: string): string[][] {
  const form = textForm(text)
  if (isAscii(form)) return (form.match(/[a-z0-9]+/g) ?? []).map((word) => [word.slice(0, longestWord)])
  const runs: string[][] = []
  for (const [letters] of form.matchAll(/[\p{L}\p{N}]+/gu)) {
    let word: string[] = []
    let run: string[] | undefined
    const endWord = () => {
      if (word.length > 0) runs.push([word.slice(0, longestWord).join('')])
      word = []
    }
    for (const character of letters) {
      if (unspaced.test(character)) {
        endWord()
        if (run) run.push(character)
        else {
          run = [character]
          runs.push(run)
        }
      } else {
        run = undefined
        word.push(character)
      }
    }
    endWord()
  }
  return runs
}

export const wordsOf = (text: string): string[] => runsOf(text).flat()

/**
 * A word in letters and digits of ASCII, which both stores take for one word: `z` begins a character of five hex digits.
 * No spelling of a character begins another one, so that a prefix of a word is a prefix of its spelling.
 */
export const spelled = (word: string): string =>
  word.replaceAll(
    /[^a-y0-9]/gu,
    (character) => `z${(character.codePointAt(0) ?? 0).toString(16).padStart(5, '0')}`,
  )

/** The texts of a file that are searched. */
type SearchedFile = Pick<StoredFile, 'title' | 'name' | 'extension' | 'description'>

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
