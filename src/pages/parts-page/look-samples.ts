import { html } from '../../lib/html.ts'
import { icon, iconNames } from '../parts/icon.ts'
import { mark } from '../parts/mark.ts'
import type { Sample } from './sample.ts'

const colours = [
  'paper',
  'raised',
  'sunken',
  'ink',
  'soft',
  'line',
  'edge',
  'accent',
  'on-accent',
  'accent-soft',
  'danger',
  'on-danger',
  'danger-soft',
  'warn',
  'warn-soft',
  'good',
  'good-soft',
  'focus',
  'stage',
]

export const lookSamples = (): Sample[] => [
  {
    name: 'Colours',
    shown: html`<ul class="swatches">${colours.map(
      (name) =>
        html`<li><svg aria-hidden="true"><rect width="100%" height="100%" class="swatch-${name}"/></svg>${name}</li>`,
    )}</ul>`,
  },
  {
    name: 'Type',
    shown: html`<div class="column"><p class="hero figure">Winter by the sea</p><p class="figure">1,208 tenants</p>
<h3>A heading in a panel</h3><p>Body text, with <a href="#type">a link</a> and <code>/image/harbour.k3J9xQ2aZb</code>.</p>
<p class="soft">Second text.</p><p class="small soft">Small text: 4.1 of 10 GB.</p></div>`,
  },
  { name: 'Mark', shown: html`<div class="samples">${mark()}${mark('loading')}</div>` },
  {
    name: 'Icons',
    shown: html`<ul class="icon-list">${iconNames.map((name) => html`<li>${icon(name)}${name}</li>`)}</ul>`,
  },
]
