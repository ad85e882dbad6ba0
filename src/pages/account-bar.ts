import { type Html, html } from '../lib/html.ts'
import { tokenField } from '../ui/form.ts'
import { linkButton, menu } from '../ui/parts/controls.ts'
import { avatar } from '../ui/parts/lists.ts'
import type { Reader } from '../ui/reader.ts'
import { accountMenuItems } from './nav-items.ts'

/** The end of the top bar: the menu of who is logged in, else links to log in and sign up. */
export function accountBar(reader: Reader): Html | undefined {
  const { account, words, path } = reader
  if (!account) return undefined
  const { user, isSignUpOpen } = account
  if (user) {
    const entries = [...accountMenuItems(reader), { label: words.logOut, icon: 'leave' } as const]
    const label = words.accountOf(user.username)
    return html`<form method="post" action="/logout" class="account-bar">${tokenField(reader)}${menu({ id: 'account', label, face: avatar(user.username, user.picture), entries })}</form>`
  }
  const isAt = (page: string) => path.split('?', 1).join() === page
  const to = isAt('/login') || isAt('/signup') || path === '/' ? '' : `?to=${encodeURIComponent(path)}`
  const logIn = isAt('/login')
    ? undefined
    : linkButton(words.logIn, `/login${to}`, { look: 'quiet', isDense: true })
  const signUp =
    isSignUpOpen && !isAt('/signup')
      ? linkButton(words.signUp, '/signup', { look: 'plain', isDense: true })
      : undefined
  return html`<div class="account-bar for-guests">${logIn}${signUp}</div>`
}
