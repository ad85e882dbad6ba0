import { escapeHtml, escapeMarkdown } from './texts.ts'

/** What a template of a user may name. */
export interface TemplateValues {
  /** Of the chosen size; so are width and height. */
  url: string
  page: string
  short: string
  title: string
  name: string
  width: string
  height: string
}

/** A person chooses the escape, since only that person knows where the text goes. */
const forms: Readonly<Record<string, (text: string) => string>> = {
  html: escapeHtml,
  markdown: escapeMarkdown,
  url: (text) => encodeURIComponent(text.toWellFormed()),
}

/** Fills `{title}`, or `{title:html}` with an escape. What names nothing stays as it is. */
export const fillTemplate = (template: string, values: TemplateValues): string =>
  template.replaceAll(/\{(\w+)(?::(\w+))?\}/g, (whole, name: string, form?: string) => {
    if (!Object.hasOwn(values, name)) return whole
    const value = values[name as keyof TemplateValues]
    if (form === undefined) return value
    return Object.hasOwn(forms, form) ? (forms[form]?.(value) ?? whole) : whole
  })
