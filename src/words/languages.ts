import { de } from './de.ts'
import { en, type Words } from './en.ts'
import { es } from './es.ts'

export type Language = 'en' | 'es' | 'de'

/** Each language under its own name, as the footer offers them. */
export const languages: Readonly<Record<Language, { name: string; words: Words }>> = {
  en: { name: 'English', words: en },
  es: { name: 'Español', words: es },
  de: { name: 'Deutsch', words: de },
}

export const isLanguage = (text: string): text is Language => Object.hasOwn(languages, text)

/** The language that a browser prefers among ours (RFC 9110, 12.5.4), English if it has none of them. */
export function preferredLanguage(accepted = ''): Language {
  const ranges = accepted.split(',').map((part) => {
    const [range = '', ...parameters] = part.split(';').map((word) => word.trim().toLowerCase())
    const quality = parameters.find((word) => word.startsWith('q='))?.slice(2) ?? '1'
    return { language: range.split('-', 1).join(), quality: Number(quality) }
  })
  const known = ranges.filter(({ language, quality }) => isLanguage(language) && quality > 0)
  const [best] = known.toSorted((a, b) => b.quality - a.quality)
  return best && isLanguage(best.language) ? best.language : 'en'
}
