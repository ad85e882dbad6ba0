import { type Html, html } from '../../lib/html.ts'
import type { PageCall } from '../page-call.ts'
import { submitButton } from '../parts/controls/button.ts'

interface Search {
  action: string
  label: string
  /** Parameters of the address that a new search keeps. */
  kept?: Readonly<Record<string, string | null>>
}

/** The field `q` over a list. */
export function searchForm({ query, reader }: PageCall, { action, label, kept = {} }: Search): Html {
  const hidden = Object.entries(kept).flatMap(([name, value]) =>
    value === null || value === '' ? [] : [html`<input name="${name}" value="${value}" type="hidden">`],
  )
  return html`<form action="${action}" role="search" aria-label="${label}" class="list-search">${hidden}<input class="input" type="search" name="q" value="${query.get('q') ?? ''}" aria-label="${label}" placeholder="${label}" maxlength="200" autocapitalize="off" dir="auto">${submitButton(reader.words.searchGo, { look: 'plain', icon: 'search' })}</form>`
}
