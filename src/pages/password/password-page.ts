import { html } from '../../lib/html.ts'
import type { Refusal } from '../../lib/refusal.ts'
import type { Reader } from '../../ui/reader.ts'
import { refusalText } from '../../ui/refusal-words.ts'
import { writePage } from '../frame.ts'
import { passwordForm } from './password-form.ts'

interface Question {
  siteName: string
  albumId: string
  /** Of the last attempt. */
  refusal: Refusal | undefined
  /** The page is that of the album itself. */
  isAlbum: boolean
  reader: Reader
}

/** Shows only the album's id, for password managers. The form goes to the page's own URL. */
export function passwordPage({ siteName, albumId, refusal, isAlbum, reader }: Question): string {
  const { words } = reader
  return writePage({
    siteName,
    title: `${refusal ? words.passwordRefused : words.passwordNeeded} - ${siteName}`,
    head: html`<meta name="robots" content="noindex">`,
    reader,
    body: passwordForm({
      heading: words.passwordNeeded,
      text: isAlbum ? words.passwordTextAlbum : words.passwordText,
      owner: { name: 'album', id: albumId },
      label: words.passwordLabel,
      fault: refusal && faultOf(reader, refusal),
      submit: isAlbum ? words.passwordShowAlbum : words.passwordShow,
    }),
  })
}

function faultOf(reader: Reader, refusal: Refusal): string {
  const { words } = reader
  const known: Readonly<Record<string, string>> = {
    'wrong-password': words.passwordWrong,
    'too-many-passwords': words.passwordTooMany,
    'too-many-passwords-here': words.passwordTooManyHere,
  }
  return known[refusal.code] ?? refusalText(reader, refusal)
}
