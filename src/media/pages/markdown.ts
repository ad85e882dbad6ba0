import MarkdownIt, { type Token } from 'markdown-it'
import { type Html, href } from '../../lib/html.ts'

/** Raw HTML is escaped; a bare address becomes a link. */
const markdown = new MarkdownIt('default', { html: false, linkify: true, typographer: false })

// One rule for all addresses: `javascript:` and `data:` are no links, and their Markdown stays as text.
markdown.validateLink = (address) => href(address) !== '#' || address === '#'

/** The title of the page is its only heading of the first level, so the highest one of the text is of the second. */
const [firstLevel, lastLevel] = [2, 6]

markdown.core.ruler.push('site', ({ tokens }) => {
  const headings = tokens.filter(({ type }) => type.startsWith('heading_'))
  const highest = Math.min(...headings.map(({ tag }) => Number(tag.slice(1))))
  for (const token of headings)
    token.tag = `h${Math.min(Number(token.tag.slice(1)) - highest + firstLevel, lastLevel)}`
  for (const token of tokens) {
    if (token.nesting === 1) token.attrSet('dir', 'auto')
    alignByClass(token)
    for (const child of token.children ?? []) if (child.type === 'link_open') markOutside(child)
  }
})

/** The policy of pages allows no style in the markup. */
function alignByClass(token: Token): void {
  const [, side] = /text-align:(\w+)/.exec(String(token.attrGet('style') ?? '')) ?? []
  if (token.attrs) token.attrs = token.attrs.filter(([name]) => name !== 'style')
  if (side !== undefined) token.attrSet('class', `to-${side}`)
}

function markOutside(token: Token): void {
  if (/^https?:/i.test(String(token.attrGet('href') ?? ''))) token.attrSet('rel', 'nofollow noopener')
}

const { rules } = markdown.renderer
const { escapeHtml } = markdown.utils

// The policy loads pictures of this site alone; one of another site becomes a link.
rules.image = (tokens, index, options, env, renderer) => {
  const token = tokens[index]
  if (!token) return ''
  const address = escapeHtml(String(token.attrGet('src') ?? ''))
  const text = escapeHtml(renderer.renderInlineAsText(token.children ?? [], options, env))
  if (address.startsWith('/')) return `<img src="${address}" alt="${text}" loading="lazy">`
  return `<a href="${address}" rel="nofollow noopener">${text || address}</a>`
}

// A wide table scrolls by itself, by keyboard too.
rules.table_open = (tokens, index, options, env, renderer) =>
  `<div class="wide" role="region" tabindex="0" aria-label="${escapeHtml(String(env?.table))}">${renderer.renderToken(tokens, index, options)}`
rules.table_close = () => '</table></div>\n'

/** What an administrator has written, as markup. `table` names tables for screen readers. */
export const renderMarkdown = (text: string, table: string): Html => ({
  markup: markdown.render(text, { table }),
})
