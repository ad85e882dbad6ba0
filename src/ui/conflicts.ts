import { type Html, html } from '../lib/html.ts'
import type { Words } from '../words/en.ts'
import { submitButton } from './parts/controls.ts'

/** The fields of a form for which the person has not yet chosen between the own text and another person's. */
interface Choosing<F> {
  /** As the form shows them now. */
  fields: F
  open: readonly string[]
  /** The form was sent to choose, not to save. */
  isChoice: boolean
}

/** Reads what the person has chosen so far. The form carries the names of the open fields, so it works without script. */
export function readChoices<F extends object>(form: URLSearchParams, mine: F, theirs: F): Choosing<F> {
  const listed = form.getAll('conflict').filter((name) => Object.hasOwn(mine, name))
  const [chosen = '', side] = form.get('take')?.split(':') ?? []
  const isTheirs = side === 'theirs' && listed.includes(chosen)
  return {
    fields: isTheirs ? { ...mine, [chosen]: theirs[chosen as keyof F] } : mine,
    open: listed.filter((name) => name !== chosen),
    isChoice: form.has('take'),
  }
}

/** The fields that both have left with different values. */
export const differingFields = <F extends object>(mine: F, theirs: F): string[] =>
  Object.keys(mine).filter(
    (name) => name !== 'version' && name in theirs && mine[name as keyof F] !== theirs[name as keyof F],
  )

/** The label of a field, and how its value is shown if it is no text. */
type ShownFields<F> = { [name in keyof F]?: readonly [label: string, text?: (value: F[name]) => string] }

interface ConflictPart<F> {
  open: readonly string[]
  mine: F
  theirs: F
  shown: ShownFields<F>
}

/** Both values of each open field, in the form that is saved once the person has chosen between them. */
export function conflictPart<F extends object>(words: Words, { open, mine, theirs, shown }: ConflictPart<F>) {
  const rows = open.flatMap((name) => {
    const field = name as keyof F & string
    const [label, text = String] = shown[field] ?? []
    if (label === undefined) return []
    const side = (key: 'mine' | 'theirs', heading: string, button: string, value: F[typeof field]): Html => {
      const more = { name: 'take', value: `${name}:${key}`, formnovalidate: true }
      return html`<div><p class="small soft">${heading}</p><p class="conflict-text" dir="auto">${text(value).trim() || words.conflictEmpty}</p>${submitButton(button, { look: 'plain', more })}</div>`
    }
    return html`<fieldset class="conflict"><legend>${label}</legend><input name="conflict" value="${name}" type="hidden">
${side('mine', words.conflictMine, words.keepMine, mine[field])}
${side('theirs', words.conflictTheirs, words.useTheirs, theirs[field])}</fieldset>`
  })
  // The Enter key in a field presses the first button of its form, which must not be one that chooses.
  return rows.length === 0 ? undefined : html`<button type="submit" hidden></button>${rows}`
}
