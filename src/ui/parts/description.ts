import { type Html, html } from '../../lib/html.ts'

/** What a person wrote about a file, an album or themselves, with its addresses as links; undefined if there is nothing to read. */
export const description = (text: string | undefined): Html | undefined =>
  text?.trim() ? html`<p class="description" dir="auto">${linkedText(text)}</p>` : undefined

/** An address up to the next space, quotation mark or angle bracket, not in the middle of a word. */
const address = /(?<![\p{L}\p{N}_])https?:\/\/[^\s\p{C}<>"“”„«»`]+/giu

/** Text of a person as markup, in which addresses of the web are links that search engines give no weight to. */
export function linkedText(text: string): Html {
  let markup = ''
  let end = 0
  for (const { 0: found, index } of text.matchAll(address)) {
    const shown = withoutPunctuation(found)
    if (!URL.canParse(shown)) continue
    markup += html`${text.slice(end, index)}<a href="${shown}" rel="nofollow ugc noopener">${shown}</a>`
      .markup
    end = index + shown.length
  }
  return { markup: markup + html`${text.slice(end)}`.markup }
}

const brackets: Readonly<Record<string, string>> = {
  ')': '(',
  ']': '[',
  '}': '{',
  '）': '（',
  '」': '「',
  '】': '【',
}

/** A sentence ends behind its address; a bracket belongs to the address only if it was opened there. */
function withoutPunctuation(found: string): string {
  const counts = new Map<string, number>()
  for (const each of found) counts.set(each, (counts.get(each) ?? 0) + 1)
  const countOf = (character: string) => counts.get(character) ?? 0
  let end = found.length
  for (; end > 0; end -= 1) {
    const last = found[end - 1] ?? ''
    const opening = brackets[last]
    const isPunctuation =
      opening === undefined ? /[.,:;!?'’‘*_~…。、，！？：；|]/u.test(last) : countOf(last) > countOf(opening)
    if (!isPunctuation) break
    counts.set(last, countOf(last) - 1)
  }
  return found.slice(0, end)
}
