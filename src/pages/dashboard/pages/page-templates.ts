import type { Words } from '../../../words/en.ts'

export const templateKeys = ['terms', 'privacy', 'contact'] as const
export type TemplateKey = (typeof templateKeys)[number]

export const isTemplateKey = (text: string): text is TemplateKey => templateKeys.some((key) => key === text)

/** A page to begin with: its headings, and a question under each that the site has to answer for itself. */
export function pageOfTemplate({ pageStarters }: Words, key: TemplateKey): { title: string; body: string } {
  const { title, parts } = pageStarters[key]
  return { title, body: parts.map(([heading, text]) => `## ${heading}\n\n${text}\n`).join('\n') }
}
