import { attributes, type Html, html } from '../../../lib/html.ts'

interface ChoiceForm {
  legend: string
  name: string
  options: readonly (readonly [value: string, text: string])[]
  chosen: string
}

/** One of a few, all of them seen: radio buttons side by side. */
export function choice({ legend, name, options, chosen }: ChoiceForm): Html {
  const labels = options.map(
    ([value, text]) =>
      html`<label><input${attributes({ type: 'radio', name, value, checked: value === chosen, autocomplete: 'off' })}>${text}</label>`,
  )
  return html`<fieldset class="choice"><legend class="only-read">${legend}</legend>${labels}</fieldset>`
}
