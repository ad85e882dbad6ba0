import type { Words } from '../../../words/en.ts'

export const starterKeys = ['terms', 'privacy', 'contact'] as const
export type StarterKey = (typeof starterKeys)[number]

export const isStarterKey = (text: string): text is StarterKey => starterKeys.some((key) => key === text)

/** A page to begin with: its headings, and a question under each that the site has to answer for itself. */
export function starterPage({ pageStarters }: Words, key: StarterKey): { title: string; body: string } {
  const { title, parts } = pageStarters[key]
  return { title, body: parts.map(([heading, text]) => `## ${heading}\n\n${text}\n`).join('\n') }
}
