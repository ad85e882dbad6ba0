/** Lower-case letters that Unicode does not decompose to ASCII. */
const spellings: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ħ: 'h',
  ŋ: 'ng',
  ə: 'e',
  а: 'a',
  б: 'b',
  в: 'v',
  г: 'g',
  д: 'd',
  е: 'e',
  ё: 'yo',
  ж: 'zh',
  з: 'z',
  и: 'i',
  й: 'y',
  к: 'k',
  л: 'l',
  м: 'm',
  н: 'n',
  о: 'o',
  п: 'p',
  р: 'r',
  с: 's',
  т: 't',
  у: 'u',
  ф: 'f',
  х: 'kh',
  ц: 'ts',
  ч: 'ch',
  ш: 'sh',
  щ: 'shch',
  ъ: '',
  ы: 'y',
  ь: '',
  э: 'e',
  ю: 'yu',
  я: 'ya',
  і: 'i',
  ї: 'yi',
  є: 'ye',
  ґ: 'g',
  ў: 'w',
  ј: 'j',
  љ: 'lj',
  њ: 'nj',
  ћ: 'c',
  ђ: 'dj',
  џ: 'dz',
  ѕ: 'dz',
  α: 'a',
  β: 'v',
  γ: 'g',
  δ: 'd',
  ε: 'e',
  ζ: 'z',
  η: 'i',
  θ: 'th',
  ι: 'i',
  κ: 'k',
  λ: 'l',
  μ: 'm',
  ν: 'n',
  ξ: 'x',
  ο: 'o',
  π: 'p',
  ρ: 'r',
  σ: 's',
  ς: 's',
  τ: 't',
  υ: 'y',
  φ: 'f',
  χ: 'ch',
  ψ: 'ps',
  ω: 'o',
}

/** Spells letters in ASCII where possible; all other characters stay, for the caller to drop. */
export function transliterate(text: string): string {
  // Some letters with diacritics have a spelling of their own, so they are replaced before diacritics are removed.
  const unmarked = transliterateLetters(shortRuns(text).normalize('NFC'))
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
  return transliterateLetters(unmarked)
}

const transliterateLetters = (text: string) => text.replaceAll(/[^\p{ASCII}]/gu, transliterateLetter)

function transliterateLetter(letter: string): string {
  const lower = letter.toLowerCase()
  const spelling = Object.hasOwn(spellings, lower) ? spellings[lower] : undefined
  if (spelling === undefined) return letter
  return letter === lower ? spelling : spelling.slice(0, 1).toUpperCase() + spelling.slice(1)
}

/**
 * The text without what follows 30 combining marks in a row, as the stream-safe format of Unicode (UAX 15) has it. No language
 * writes more, and to sort a run of 128,000 takes 40 seconds.
 */
export const shortRuns = (text: string): string =>
  text.length <= mostMarks ? text : text.replaceAll(longRun, '$1')

const mostMarks = 30
const longRun = new RegExp(`(\\p{M}{${mostMarks}})\\p{M}+`, 'gu')
