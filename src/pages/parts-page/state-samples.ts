import { html } from '../../lib/html.ts'
import type { Words } from '../../words/en.ts'
import { linkButton } from '../parts/controls/button.ts'
import { banner } from '../parts/states/banner.ts'
import { emptyState } from '../parts/states/empty-state.ts'
import { loading, progress } from '../parts/states/progress.ts'
import { toast } from '../parts/states/toast.ts'
import { meter } from '../parts/states.ts'
import type { Sample } from './sample.ts'

export const stateSamples = (words: Words): Sample[] => [
  {
    name: 'Banner',
    shown: html`<div class="column">${banner(html`Uploads by guests wait for approval.`)}${banner(html`Saved.`, 'good')}${banner(html`92 % of the storage is used. <a href="#banner">See what takes it</a>`, 'warn')}${banner(html`This file could not be read.`, 'danger')}</div>`,
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
