import { shortRuns } from '../../../lib/transliterate.ts'

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
export const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)

/** By which tags, and albums by their titles, are sorted. Never empty: an empty form is one that is missing. */
export const sortForm = (text: string): string => textForm(text) || text
