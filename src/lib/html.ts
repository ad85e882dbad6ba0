import { escapeHtml } from '../common/texts.ts'

/** Escaped markup. An object and not a string, so that the type system keeps unescaped text out. */
export interface Html {
  readonly markup: string
}

type Part = string | number | Html | readonly Html[] | undefined

/** A template that escapes its parts, unless they are markup. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let markup = strings[0] ?? ''
  for (let index = 0; index < parts.length; index += 1) markup += write(parts[index]) + strings[index + 1]
  return { markup }
}

function write(part: Part): string {
  if (typeof part === 'string') return escapeHtml(part)
  if (part === undefined) return ''
  if (typeof part === 'number') return String(part)
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('\n')
}

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

/** Attributes with a space before each: `true` is a name alone, `false` and undefined are left out. */
export function attributes(values: Attributes): Html {
  let markup = ''
  for (const name of Object.keys(values)) {
    if (!checkedNames.has(name)) checkName(name)
    const value = values[name]
    if (value === undefined || value === false) continue
    markup += value === true ? ` ${name}` : ` ${name}="${escapeHtml(String(value))}"`
  }
  return { markup }
}

/** Templates name a few dozen, in thousands of places. */
const checkedNames = new Set<string>()

/** The content security policy stops both styles and scripts in attributes; a template that has one is wrong. */
function checkName(name: string): void {
  if (!/^[a-z][a-z-]*$/.test(name) || /^(on|style$)/.test(name)) throw new Error(`Not an attribute: ${name}`)
  checkedNames.add(name)
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
