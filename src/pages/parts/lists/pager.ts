import type { Html } from '../../../lib/html.ts'
import { html } from '../../../lib/html.ts'
import type { Words } from '../../../words/en.ts'
import { linkButton } from '../controls/button.ts'

interface PagerForm {
  words: Words
  newer?: string | undefined
  older?: string | undefined
  /** In place of newer and older, for lists in another order. */
  labels?: readonly [newer: string, older: string]
}

/** Links to the pages before and after this one. */
export const pager = ({
  words,
  newer,
  older,
  labels: [first, next] = [words.newer, words.older],
}: PagerForm): Html =>
  html`<nav class="pager" aria-label="${first}, ${next}">${
    newer === undefined
      ? html`<span></span>`
      : linkButton(first, newer, { look: 'plain', icon: 'left', more: { rel: 'prev' } })
  }${older === undefined ? undefined : linkButton(next, older, { look: 'plain', icon: 'right', more: { rel: 'next' } })}</nav>`
