const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Most texts have none of them, and to find that takes a fifth of a replacement. */
export const escapeHtml = (text: string): string =>
  /[&<>"']/.test(text) ? text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '') : text

export const escapeMarkdown = (text: string): string => text.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&')

/** For an input field, which has one line. */
export const oneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()

/** The title, unless it shows nothing; else the name. */
export const titleOr = (name: string, title: string | null | undefined): string =>
  title && /[^\s\p{C}]/u.test(title) ? title : name
