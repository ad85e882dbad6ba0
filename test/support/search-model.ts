/** A search over plain arrays, by the words of the documentation alone, against which both stores are held. */

export interface ModelFile {
  title: string
  tags: readonly string[]
  name: string
  description: string
}

type Field = keyof ModelFile

/** One place in a file. A gap is no word: the end of a tag, or the 256th time of a word. */
interface Place {
  field: Field
  word: string | undefined
}

const isLetterOrDigit = (character: string) => /^[\p{L}\p{N}]$/u.test(character)
const isAlone = (character: string) =>
  /^\p{Script_Extensions=Han}$/u.test(character) ||
  /^\p{Script_Extensions=Hiragana}$/u.test(character) ||
  /^\p{Script_Extensions=Katakana}$/u.test(character)

/** Each word with the number of the run that it belongs to: neighbours of Han and Kana share one. */
export function modelWords(text: string): { word: string; run: number }[] {
  const form = [...text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ').normalize('NFD')]
    .filter((character) => !/^\p{Mn}$/u.test(character))
    .join('')
    .normalize('NFC')
  const words: { word: string; run: number }[] = []
  let run = 0
  let last: 'cut' | 'alone' | 'word' = 'cut'
  for (const character of form) {
    const now = !isLetterOrDigit(character) ? 'cut' : isAlone(character) ? 'alone' : 'word'
    if (now !== last || now === 'cut') run += 1
    const open = words.at(-1)
    if (now === 'alone') words.push({ word: character, run })
    else if (now === 'word' && last === 'word' && open) {
      if ([...open.word].length < 64) open.word += character
    } else if (now === 'word') words.push({ word: character, run })
    last = now
  }
  return words
}

export function modelPlaces(file: ModelFile): Place[] {
  const places: Place[] = []
  const times = new Map<string, number>()
  let count = 0
  for (const field of ['title', 'tags', 'name', 'description'] as const) {
    const value = file[field]
    for (const text of typeof value === 'string' ? [value] : value) {
      for (const { word } of modelWords(text)) {
        count += 1
        if (count > 8_000) return places
        times.set(word, (times.get(word) ?? 0) + 1)
        places.push({ field, word: (times.get(word) ?? 0) >= 256 ? undefined : word })
      }
      places.push({ field, word: undefined })
    }
  }
  return places
}

interface ModelTerm {
  words: string[]
  isPrefix: boolean
}

interface ModelQuery {
  wanted: ModelTerm[]
  unwanted: ModelTerm[][]
}

/** Undefined for a query that is refused. */
export function modelQuery(text: string): ModelQuery | undefined {
  if ([...text].length > 200) return undefined
  const wanted: ModelTerm[] = []
  const unwanted: ModelTerm[][] = []
  for (let at = 0; at < text.length; ) {
    if (/\s/.test(text[at] ?? '')) {
      at += 1
      continue
    }
    const isExcluded = text[at] === '-' && /[^\s]/.test(text[at + 1] ?? ' ')
    if (isExcluded) at += 1
    let terms: ModelTerm[]
    if (text[at] === '"') {
      const end = text.indexOf('"', at + 1)
      const inside = text.slice(at + 1, end === -1 ? undefined : end)
      at = end === -1 ? text.length : end + 1
      const words = modelWords(inside).map(({ word }) => word)
      terms = words.length === 0 ? [] : [{ words, isPrefix: false }]
    } else {
      const start = at
      while (at < text.length && !/[\s"]/.test(text[at] ?? '')) at += 1
      const bare = text.slice(start, at)
      const runs = Object.values(Object.groupBy(modelWords(bare), ({ run }) => run))
      terms = runs.map((run = [], index) => ({
        words: run.map(({ word }) => word),
        isPrefix: bare.endsWith('*') && index === runs.length - 1,
      }))
    }
    if (!isExcluded) wanted.push(...terms)
    else if (terms.length > 0) unwanted.push(terms)
  }
  const count = wanted.length + unwanted.flat().length
  return wanted.length === 0 || count > 16 ? undefined : { wanted, unwanted }
}

const isAt = (places: readonly Place[], start: number, { words, isPrefix }: ModelTerm) =>
  words.every((word, index) => {
    const place = places[start + index]
    if (place?.word === undefined || place.field !== places[start]?.field) return false
    return isPrefix && index === words.length - 1 ? place.word.startsWith(word) : place.word === word
  })

function isIn(places: readonly Place[], term: ModelTerm, fields: readonly Field[]): boolean {
  return places.some(({ field }, start) => fields.includes(field) && isAt(places, start, term))
}

const everywhere: readonly Field[] = ['title', 'tags', 'name', 'description']

/** 1, 2 or 3 by where all terms are; undefined if the file is not found. */
export function modelClass(places: readonly Place[], { wanted, unwanted }: ModelQuery): number | undefined {
  if (unwanted.some((terms) => terms.every((term) => isIn(places, term, everywhere)))) return undefined
  for (const [index, fields] of [everywhere.slice(0, 2), everywhere.slice(0, 3), everywhere].entries())
    if (wanted.every((term) => isIn(places, term, fields))) return index + 1
  return undefined
}
