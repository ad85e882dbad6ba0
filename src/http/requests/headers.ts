import type { IncomingHttpHeaders } from 'node:http'
import { isLanguage, type Language, preferredLanguage } from '../../words/languages.ts'

/** A content type without its parameters, in lower case. */
export const mediaTypeOf = (contentType = ''): string => contentType.split(';', 1).join().trim().toLowerCase()

/** Of cookies that are set under https: browsers take them from the host itself alone. */
export const hostPrefix = '__Host-'
export const languageCookie = 'terrace-language'

/** The language that the person chose at the foot of a page, else the one that the browser asks for. */
export function languageOf(headers: IncomingHttpHeaders): Language {
  const chosen = cookieOf(headers, languageCookie)
  return isLanguage(chosen) ? chosen : preferredLanguage(headers['accept-language'])
}

/** The value of a cookie of ours; empty if there is none. */
export function cookieOf({ cookie = '' }: IncomingHttpHeaders, name: string): string {
  const pairs = cookie.split(/; */)
  const named = (full: string) => pairs.find((each) => each.startsWith(`${full}=`))?.slice(full.length + 1)
  return named(`${hostPrefix}${name}`) ?? named(name) ?? ''
}
