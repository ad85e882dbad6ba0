import { attributes, type Html, html } from '../../../lib/html.ts'
import { icon } from '../icon.ts'

interface DropZoneForm {
  title: string
  text: string
  choose: string
  name: string
  /** Content types, as `accept` takes them. */
  accept: string
  actions?: Html
}

/** A file field in the size of a target for dragged files. Without script it is the file field of its form. */
export const dropZone = ({ title, text, choose, name, accept, actions }: DropZoneForm): Html =>
  html`<div class="drop-zone" data-drop-zone>
<h1 class="hero">${title}</h1>
<p class="soft">${text}</p>
<p class="actions"><label class="button">${icon('upload')}${choose}<input${attributes({ type: 'file', name, accept, multiple: true })}></label>${actions}</p>
</div>`
