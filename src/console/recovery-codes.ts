import { type Html, html } from '../lib/html.ts'
import { linkButton } from '../ui/parts/controls.ts'
import type { Reader } from '../ui/reader.ts'

/** Shown once. */
export const recoveryCodes = ({ words }: Reader, codes: readonly string[], next: string): Html =>
  html`<p>${words.recoveryText}</p>
<ul class="recovery-codes mono">${codes.map((code) => html`<li>${code}</li>`)}</ul>
<p class="soft">${words.recoveryOnce}</p>
<p>${linkButton(words.recoveryKept, next)}</p>`
