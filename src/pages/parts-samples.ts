import { type Html, html } from '../lib/html.ts'
import {
  areaField,
  button,
  checkField,
  choice,
  codeField,
  dialog,
  dropZone,
  joined,
  linkButton,
  menu,
  selectField,
  switchField,
  tagsField,
  textField,
} from '../ui/parts/controls.ts'
import { icon, iconNames, mark } from '../ui/parts/icon.ts'
import { avatar, chip, linkChip, type MediaTile, mediaTiles, pager, table, tabs } from '../ui/parts/lists.ts'
import { banner, emptyState, loading, meter, progress, toast } from '../ui/parts/states.ts'
import type { Words } from '../words/en.ts'

/** One part in all its states. */
export interface Sample {
  name: string
  shown: Html
}

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

const address = 'https://harbourlane.example/image/harbour-at-dusk.k3J9xQ2aZb'

export const controlSamples = (): Sample[] => [
  {
    name: 'Button',
    shown: html`<div class="samples">${button('Upload', { icon: 'upload' })}${button('Folder', { look: 'plain' })}${button('Cancel', { look: 'quiet' })}${button('Delete', { look: 'danger', icon: 'delete' })}${linkButton('A link', '#button', { look: 'plain', icon: 'open' })}${button('Retry', { look: 'plain', isDense: true })}${button('More', { look: 'quiet', icon: 'more', hasOnlyIcon: true })}${button('Wait', { more: { disabled: true } })}${joined(button('Copy 2 links'), button('Formats', { icon: 'down', hasOnlyIcon: true }))}</div>`,
  },
  {
    name: 'Field',
    shown: html`<div class="column">${textField({ label: 'Title', name: 'title', value: 'Hills above the harbour', hint: 'Up to 100 characters.' })}${textField({ label: 'Search', name: 'search', more: { placeholder: 'Search  /', 'aria-keyshortcuts': '/' } })}${textField({ label: 'E-mail', name: 'email', value: 'ada@', fault: 'Enter a valid e-mail address.', more: { autofocus: false } })}${areaField({ label: 'Description', name: 'description', value: 'Last light, from the old pier.' })}${selectField(
      {
        label: 'Album',
        name: 'album',
        value: 'winter',
        options: [
          ['', 'None'],
          ['winter', 'Winter by the sea'],
        ],
      },
    )}${tagsField({ label: 'Tags', name: 'tags', value: 'harbour, dusk', hint: 'Separated by commas.' })}${textField({ label: 'Read-only', name: 'fixed', value: 'studio', more: { disabled: true } })}${checkField({ label: 'Sensitive content', name: 'nsfw' })}${switchField({ label: 'Guest uploads', name: 'guests', isOn: true })}${switchField({ label: 'Open sign-up', name: 'signup' })}</div>`,
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
    shown: html`${button('Open a dialog', { look: 'plain', more: { commandfor: 'sample-dialog', command: 'show-modal' } })}${dialog({ id: 'sample-dialog', title: 'Delete the album?', close: 'Close', content: html`<p>Its 212 files are kept. Links to the album stop working.</p>`, actions: html`${button('Delete the album', { look: 'danger' })}${button('Keep it', { look: 'plain', more: { commandfor: 'sample-dialog', command: 'close' } })}` })}`,
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
      title: 'Drop files anywhere',
      text: 'or paste a picture, a link, a whole folder. Up to 100 MB each.',
      choose: 'Choose files',
      name: 'files',
      accept: 'image/*,video/*',
      actions: html`${button('Folder', { look: 'plain' })}${button('From a link', { look: 'plain' })}`,
    }),
  },
]

export const listSamples = (words: Words): Sample[] => [
  {
    name: 'Tabs',
    shown: tabs('Samples', [
      { label: 'Overview', address: '#tabs', isCurrent: true },
      { label: 'Users', address: '#users' },
      { label: 'Limits', address: '#limits' },
    ]),
  },
  {
    name: 'Chip',
    shown: html`<div class="chips">${linkChip('Newest', '#chip', true)}${linkChip('Most viewed', '#seen')}${chip('harbour')}${chip('Live', 'good')}${chip('Moving', 'warn')}${chip('Disabled', 'danger')}${chip('New', 'accent')}</div>`,
  },
  {
    name: 'Avatar',
    shown: html`<div class="samples">${avatar('Ada Lindqvist')}<strong>Ada Lindqvist</strong></div>`,
  },
  { name: 'Media tile', shown: mediaTiles(tiles) },
  {
    name: 'Table',
    shown: table(
      'Tenants',
      [
        { name: 'Site', sortAddress: '#site', sorted: 'ascending' },
        { name: 'State' },
        { name: 'Files', isNumber: true, sortAddress: '#files' },
        { name: 'Storage' },
        { name: 'Actions' },
      ],
      [
        row('harbourlane.example', chip('Live', 'good'), '12,840', [412, 500]),
        row('atlas-photo.example', chip('Live', 'good'), '98,211', [498, 500]),
        row('brightwater.example', chip('Disabled', 'danger'), '44,102', [1_204, undefined]),
      ],
    ),
  },
  { name: 'Pager', shown: pager({ words, newer: '#newer', older: '#older' }) },
]

const row = (
  name: string,
  state: ReturnType<typeof chip>,
  files: string,
  [used, limit]: readonly [number, number | undefined],
) => [
  html`${name}`,
  state,
  html`${files}`,
  meter({
    label: `Storage of ${name}`,
    used,
    limit,
    text: limit === undefined ? `${used} GB, no limit` : `${used} of ${limit} GB`,
  }),
  button(`Actions of ${name}`, { look: 'quiet', icon: 'more', hasOnlyIcon: true }),
]

/** A drawing of our own as the picture of every sample. */
const sample = (colour: string, width: number, height: number) => ({
  path: `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 60 40" preserveAspectRatio="xMidYMid slice"><rect width="60" height="40" fill="${colour}"/><circle cx="42" cy="12" r="5" fill="#f3dcb0"/><path d="M0 28c20 2 30-12 60-4v16H0z" fill="#35556b"/></svg>`)}`,
  width,
  height,
})

const tiles: MediaTile[] = [
  { address: '#1', title: 'Hills above the harbour', picture: sample('#e9a97e', 360, 240) },
  { address: '#2', title: 'Pier', picture: sample('#b9c7a6', 240, 240) },
  { address: '#3', title: 'Ferry crossing', picture: sample('#6f9bb0', 430, 240), badge: '1:04' },
  { address: '#4', title: 'Covered', picture: sample('#c9788f', 300, 240), cover: 'Sensitive content' },
]

export const stateSamples = (words: Words): Sample[] => [
  {
    name: 'Banner',
    shown: html`<div class="column">${banner(html`Guest uploads need approval.`)}${banner(html`Saved.`, 'good')}${banner(html`92 % of the storage is used. <a href="#banner">Show the largest files</a>`, 'warn')}${banner(html`This file could not be read.`, 'danger')}</div>`,
  },
  {
    name: 'Empty state',
    shown: emptyState({
      title: 'No albums yet',
      text: 'An album is one link for many files.',
      action: linkButton('New album', '#new', { icon: 'add' }),
    }),
  },
  {
    name: 'Progress',
    shown: html`<div class="column">${progress('ferry-crossing.mp4', 0.61)}${progress('Unknown length')}${loading('Loading')}</div>`,
  },
  {
    name: 'Meter',
    shown: html`<div class="column">${meter({ label: 'Storage', used: 4.1, limit: 10, text: words.ofLimit('4.1', '10 GB') })}${meter({ label: 'Files', used: 820, limit: 1_000, text: words.ofLimit('820', '1,000') })}${meter({ label: 'Users', used: 97, limit: 100, text: words.ofLimit('97', '100') })}</div>`,
  },
  { name: 'Toast', shown: toast('3 files removed', words.undo) },
]
