import { html } from '../../lib/html.ts'
import type { Refusal } from '../../lib/refusal.ts'
import type { Share } from '../../media/index.ts'
import { linkButton } from '../../ui/parts/controls.ts'
import type { Words } from '../../words/en.ts'
import { writePage } from '../frame.ts'
import type { PageCall } from '../page-call.ts'
import { passwordForm } from '../password/password-form.ts'

const noindex = html`<meta name="robots" content="noindex">`

/** For a prefetch, which uses no view. A browser that shows it to a person has a way on. */
export const titlePage = ({ site, reader }: PageCall, title: string): string =>
  writePage({
    siteName: site.hostname,
    title: `${title} - ${site.hostname}`,
    head: noindex,
    reader,
    body: html`<div class="question"><h1 dir="auto">${title}</h1><p>${linkButton(reader.words.shareOpen, reader.path)}</p></div>`,
  })

interface Question {
  share: Share
  /** Of the last attempt. */
  refusal: Refusal | undefined
}

/** Asks for the password of a share. The form goes to the page's own address. */
export function sharePasswordPage({ site, reader }: PageCall, { share, refusal }: Question): string {
  const { words } = reader
  return writePage({
    siteName: site.hostname,
    title: `${refusal ? words.passwordRefused : words.passwordNeeded} - ${site.hostname}`,
    head: noindex,
    reader,
    body: passwordForm({
      heading: words.passwordNeeded,
      text: words.sharePasswordText,
      owner: { name: 'share', id: share.id },
      label: words.sharePasswordLabel,
      fault: refusal && faultOf(words, refusal),
      submit: words.shareOpen,
    }),
  })
}

function faultOf(words: Words, { code }: Refusal): string {
  if (code === 'too-many-passwords-here') return words.passwordTooManyHere
  return code === 'too-many-passwords' ? words.passwordTooMany : words.sharePasswordWrong
}
