/** Escaped markup. An object and not a string, so that the type system keeps unescaped text out. */
export interface Html {
  readonly markup: string
}

type Part = string | number | Html | readonly Html[] | undefined

/** A template that escapes its parts, unless they are markup. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { markup: strings.reduce((text, string, index) => text + write(parts[index - 1]) + string) }
}

function write(part: Part): string {
  if (part === undefined) return ''
  if (typeof part !== 'object') return escapeHtml(String(part))
  return 'markup' in part ? part.markup : part.map(write).join('\n')
}

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

/** Attributes with a space before each: `true` is a name alone, `false` and undefined are left out. */
export function attributes(values: Attributes): Html {
  const written = Object.entries(values).map(([name, value]) => {
    // The content security policy stops both; a template that has one is wrong.
    if (!/^[a-z][a-z-]*$/.test(name) || /^(on|style$)/.test(name))
      throw new Error(`Not an attribute: ${name}`)
    if (value === undefined || value === false) return ''
    return value === true ? ` ${name}` : ` ${name}="${escapeHtml(String(value))}"`
  })
  return { markup: written.join('') }
}

/** An address that people gave, for `href`: http, https, mailto or a path of this site, else `#`. */
export function href(address: string): string {
  const isOwn = /^(?:[#?]|\/(?![/\\]))/.test(address)
  return isOwn || /^(?:https?:\/\/|mailto:)/i.test(address) ? address : '#'
}

/** Values for a script of the page. A block of this type runs nothing; `<` could end it. */
export const dataBlock = (value: unknown): Html => ({
  markup: `<script type="application/json">${JSON.stringify(value).replaceAll('<', '\\u003c')}</script>`,
})

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '')
