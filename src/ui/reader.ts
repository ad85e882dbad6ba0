import type { IncomingHttpHeaders } from 'node:http'
import type { Preferences, Role } from '../accounts/index.ts'
import { cookieOf, languageOf } from '../http/requests/headers.ts'
import type { Words } from '../words/en.ts'
import { type Language, languages } from '../words/languages.ts'

export const themes = ['auto', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the guard of the pages, so that an error page shows who is logged in. */
    reader: Reader | undefined
  }
}

/** The person in front of a page, as far as the page depends on it. */
export interface Reader {
  language: Language
  words: Words
  theme: Theme
  /** Path and query of the page, to come back to it. */
  path: string
  /** Goes into every form of a session; undefined without one. */
  formToken?: string | undefined
  /** Undefined on pages that are the same for everyone, and where the site is not known. */
  account?: ReaderAccount
}

/** Who is logged in, as the frame shows it. */
export interface ReaderAccount {
  /** Undefined for guests. */
  user: { username: string; role: Role; picture: string | undefined } | undefined
  isSignUpOpen: boolean
  /** Whether lists of others' files are open to the reader. */
  mayExplore: boolean
  /** Of the user. */
  preferences: Preferences | undefined
  /** Whether the upload page takes files of this reader. */
  mayUpload: boolean
  brand: Brand
  /** The site's own pages, for the foot of the page. */
  footer: readonly { urlKey: string; title: string }[]
  /** The site is there to be tried, and says so. */
  isDemo: boolean
}

/** A logo or an icon as pages show it. */
export interface ShownBrandPicture {
  path: string
  mime: string
  width: number
  height: number
}

/** What a site shows in place of our own look. */
export interface Brand {
  /** Empty: the hostname. */
  name: string
  /** `#rrggbb`; empty: the standard one. */
  accent: string
  logo?: ShownBrandPicture | undefined
  /** For the dark theme. */
  logoDark?: ShownBrandPicture | undefined
  icon?: ShownBrandPicture | undefined
}

export const themeCookie = 'terrace-theme'

export const isTheme = (text: string): text is Theme => themes.some((theme) => theme === text)

/** By the cookies of the footer's choices, else by what the browser asks for. */
export function readerOf({ headers, url }: { headers: IncomingHttpHeaders; url: string }): Reader {
  const language = languageOf(headers)
  const theme = cookieOf(headers, themeCookie)
  return { language, words: languages[language].words, theme: isTheme(theme) ? theme : 'auto', path: url }
}

/** For a page whose request is not at hand. */
export const unknownReader: Reader = readerOf({ headers: {}, url: '/' })
