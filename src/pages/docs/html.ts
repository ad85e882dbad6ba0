import { escapeHtml, type Html, html } from '../../lib/html.ts'

/** A sentence of a description; text in backticks is code. */
export function prose(text: string): Html {
  return { markup: escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>') }
}

/** A long name that may be broken after its slashes and dots. */
export function breakable(name: string): Html {
  return { markup: escapeHtml(name).replaceAll(/[/.]+(?=.)/g, '$&<wbr>') }
}

export const codeBlock = (text: string): Html => html`<pre><code>${text}</code></pre>`

export const jsonBlock = (value: unknown): Html =>
  codeBlock(typeof value === 'string' ? value.trimEnd() : JSON.stringify(value, null, 2))

export const folded = (summary: string, content: Html): Html =>
  html`<details><summary>${summary}</summary>${content}</details>`

/** Open at first, and can be closed. */
export const unfolded = (summary: string, content: Html): Html =>
  html`<details open><summary>${summary}</summary>${content}</details>`
