import { html } from '../../lib/html.ts'
import type { Words } from '../../words/en.ts'
import { button } from '../parts/controls/button.ts'
import { avatar } from '../parts/lists/avatar.ts'
import { chip, linkChip } from '../parts/lists/chip.ts'
import { type MediaTile, mediaTiles } from '../parts/lists/media-tile.ts'
import { pager } from '../parts/lists/pager.ts'
import { tabs } from '../parts/lists/tabs.ts'
import { table } from '../parts/lists.ts'
import { meter } from '../parts/states.ts'
import type { Sample } from './sample.ts'

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
    shown: html`<div class="chips">${linkChip('Newest', '#chip', true)}${linkChip('Most seen', '#seen')}${chip('harbour')}${chip('Live', 'good')}${chip('Moving', 'warn')}${chip('Disabled', 'danger')}${chip('New', 'accent')}</div>`,
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
  { address: '#4', title: 'Covered', picture: sample('#c9788f', 300, 240), cover: 'Not safe for everyone' },
]
