import { isAscii, textForm } from './text-form.ts'

const mostCharacters = 64

/** Scripts that are written without spaces: each character is a word. By extensions, so that the mark ー counts as Kana. */
const unspaced = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]/u

/**
 * The words of a text in their order, as runs: the characters of one run of Han or Kana belong together, every other word
 * stands alone.
 */
export function runsOf(text: string): string[][] {
  const form = textForm(text)
  if (isAscii(form)) return (form.match(/[a-z0-9]+/g) ?? []).map((word) => [word.slice(0, mostCharacters)])
  const runs: string[][] = []
  for (const [letters] of form.matchAll(/[\p{L}\p{N}]+/gu)) {
    let word: string[] = []
    let run: string[] | undefined
    const endWord = () => {
      if (word.length > 0) runs.push([word.slice(0, mostCharacters).join('')])
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
