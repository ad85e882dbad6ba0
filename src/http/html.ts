import { escapeHtml } from './pages.ts'

/** Markup that is ready to be sent. It is no string, so that text cannot slip in unescaped. */
export interface Html {
  readonly markup: string
}

type Part = string | number | Html | readonly Html[] | undefined

/** A template whose parts are escaped, unless they are markup themselves. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { markup: strings.reduce((text, string, place) => text + write(parts[place - 1]) + string) }
}

function write(part: Part): string {
  if (part === undefined) return ''
  if (typeof part !== 'object') return escapeHtml(String(part))
  return 'markup' in part ? part.markup : part.map(write).join('\n')
}
