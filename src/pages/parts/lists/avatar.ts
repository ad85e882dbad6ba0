import { type Html, html } from '../../../lib/html.ts'

/** A person's picture, else the first letters of the name, which stands beside it. */
export const avatar = (name: string, picture?: string): Html =>
  html`<span class="avatar" aria-hidden="true">${picture === undefined ? initialsOf(name) : html`<img src="${picture}" width="36" height="36" alt="">`}</span>`

function initialsOf(name: string): string {
  const words = name.trim().split(/[\s._-]+/u)
  const [first = '', last = ''] = [words[0], words.length > 1 ? words.at(-1) : '']
  return `${[...first][0] ?? '?'}${[...last][0] ?? ''}`.toUpperCase()
}
