import { html } from '../lib/html.ts'
import { button, joined, linkButton } from './parts/controls/button.ts'
import { choice } from './parts/controls/choice.ts'
import { codeField } from './parts/controls/code-field.ts'
import { dialog } from './parts/controls/dialog.ts'
import { dropZone } from './parts/controls/drop-zone.ts'
import { menu } from './parts/controls/menu.ts'
import { areaField, checkField, selectField, switchField, tagsField, textField } from './parts/controls.ts'
import type { Sample } from './parts-page/sample.ts'

const address = 'https://harbourlane.example/image/harbour-at-dusk.k3J9xQ2aZb'

export const controlSamples = (): Sample[] => [
  {
    name: 'Button',
    shown: html`<div class="samples">${button('Upload', { icon: 'upload' })}${button('Folder', { look: 'plain' })}${button('Cancel', { look: 'quiet' })}${button('Delete', { look: 'danger', icon: 'delete' })}${linkButton('A link', '#button', { look: 'plain', icon: 'open' })}${button('Retry', { look: 'plain', isDense: true })}${button('More', { look: 'quiet', icon: 'more', hasOnlyIcon: true })}${button('Wait', { more: { disabled: true } })}${joined(button('Copy 2 links'), button('Formats', { icon: 'down', hasOnlyIcon: true }))}</div>`,
  },
  {
    name: 'Field',
    shown: html`<div class="column">${textField({ label: 'Title', name: 'title', value: 'Hills above the harbour', hint: 'Up to 100 characters.' })}${textField({ label: 'Search', name: 'search', more: { placeholder: 'Search  /', 'aria-keyshortcuts': '/' } })}${textField({ label: 'E-mail', name: 'email', value: 'ada@', fault: 'That is not an e-mail address.' })}${areaField({ label: 'Description', name: 'description', value: 'Last light, from the old pier.' })}${selectField(
      {
        label: 'Album',
        name: 'album',
        value: 'winter',
        options: [
          ['', 'None'],
          ['winter', 'Winter by the sea'],
        ],
      },
    )}${tagsField({ label: 'Tags', name: 'tags', value: 'harbour, dusk', hint: 'Separated by commas.' })}${textField({ label: 'Not to be changed', name: 'fixed', value: 'studio', more: { disabled: true } })}${checkField({ label: 'Not safe for everyone', name: 'nsfw' })}${switchField({ label: 'Guests may upload', name: 'guests', isOn: true })}${switchField({ label: 'Sign-up is open', name: 'signup' })}</div>`,
  },
  {
    name: 'Choice',
    shown: choice({
      legend: 'Sample format',
      name: 'sample-format',
      options: [
        ['link', 'Link'],
        ['markdown', 'Markdown'],
        ['html', 'HTML'],
        ['bbcode', 'BBCode'],
      ],
      chosen: 'markdown',
    }),
  },
  {
    name: 'Dialog',
    shown: html`${button('Open a dialog', { look: 'plain', more: { commandfor: 'sample-dialog', command: 'show-modal' } })}${dialog({ id: 'sample-dialog', title: 'Delete the album?', close: 'Close', content: html`<p>Its 212 files stay. Links to the album end.</p>`, actions: html`${button('Delete the album', { look: 'danger' })}${button('Keep it', { look: 'plain', more: { commandfor: 'sample-dialog', command: 'close' } })}` })}`,
  },
  {
    name: 'Menu',
    shown: html`<form class="samples" action="#menu">${menu({
      id: 'sample-menu',
      label: 'Actions',
      entries: [
        { label: 'Edit', icon: 'edit', address: '#edit' },
        { label: 'Share', icon: 'share', address: '#share' },
        { label: 'Delete', icon: 'delete', value: 'delete', isDangerous: true },
      ],
    })}</form>`,
  },
  {
    name: 'Code field',
    shown: html`<div>${codeField({ id: 'sample-code', label: 'Page', text: address, copy: { label: 'Copy', name: 'Copy: Page' } })}${codeField({ id: 'sample-code-2', label: 'Markdown', text: `[![Harbour](${address}.jpg)](${address})`, copy: { label: 'Copy', name: 'Copy: Markdown' } })}</div>`,
  },
  {
    name: 'Drop zone',
    shown: dropZone({
      title: 'Drop it anywhere',
      text: 'or paste a picture, a link, a whole folder. Up to 100 MB each.',
      choose: 'Choose files',
      name: 'files',
      accept: 'image/*,video/*',
      actions: html`${button('Folder', { look: 'plain' })}${button('From a link', { look: 'plain' })}`,
    }),
  },
]
