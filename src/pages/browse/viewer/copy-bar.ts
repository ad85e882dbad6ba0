import { type Html, html } from '../../../lib/html.ts'
import { type StoredFile, variantOf } from '../../../media/index.ts'
import { button, choice } from '../../../ui/parts/controls.ts'
import type { Reader } from '../../../ui/reader.ts'

/** Copies one of the codes below it, in the format and size used last. The script shows it and remembers. */
export function copyBar(file: StoredFile, { words, account }: Reader): Html {
  const hasTemplate = (account?.preferences?.copyTemplate ?? '') !== ''
  const formats = [
    ['link', words.shortLink],
    ['page', words.codePage],
    ['markdown', 'Markdown'],
    ['html', 'HTML'],
    ['bbcode', 'BBCode'],
    ...(hasTemplate ? [['own', words.ownTemplate] as const] : []),
  ] as const
  const sizes = [
    ['full', words.shortFull],
    ...(variantOf(file, 'medium') ? [['medium', words.shortMedium] as const] : []),
    ...(variantOf(file, 'thumb') ? [['thumb', words.shortThumb] as const] : []),
  ] as const
  return html`<div class="copy-bar" hidden>
${choice({ legend: words.copyFormat, name: 'format', options: formats, chosen: 'link' })}
${sizes.length > 1 ? choice({ legend: words.copySize, name: 'size', options: sizes, chosen: 'full' }) : undefined}
${button(words.copy, { icon: 'copy', more: { 'aria-keyshortcuts': 'c' } })}
</div>`
}
