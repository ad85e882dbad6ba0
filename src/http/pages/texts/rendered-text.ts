import type { Html } from '../../responses/html.ts'

/** What an administrator has written, as markup. The library is loaded for the first text. */
export async function renderedText(text: string, table: string): Promise<Html> {
  const { renderMarkdown } = await import('./markdown.ts')
  return renderMarkdown(text, table)
}
