/** A small page for a person who meets an error, or a site that has nothing to show yet. */
export function plainPage(title: string, text: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>
:root { color-scheme: light dark }
body { font: 1.125rem/1.5 system-ui, sans-serif; margin: 0; box-sizing: border-box; min-height: 100vh; min-height: 100svh; padding: 1.5rem;
  display: grid; grid-template-columns: minmax(auto, 34rem); place-content: center; overflow-wrap: anywhere }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .5rem }
p { margin: 0; opacity: .8 }
</style>
</head>
<body>
<main><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p></main>
</body>
</html>
`
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '')

export const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'"
