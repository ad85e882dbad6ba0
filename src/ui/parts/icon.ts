import { type Html, html } from '../../lib/html.ts'
import { assetPath } from '../assets/assets.ts'

/** The drawings of `web/icons/icons.svg`. */
export const iconNames = [
  'upload',
  'download',
  'search',
  'copy',
  'check',
  'close',
  'more',
  'left',
  'right',
  'play',
  'down',
  'up',
  'full-screen',
  'zoom',
  'info',
  'warning',
  'delete',
  'undo',
  'link',
  'folder',
  'picture',
  'video',
  'explore',
  'albums',
  'person',
  'settings',
  'key',
  'lock',
  'eye',
  'eye-off',
  'heart',
  'tag',
  'add',
  'open',
  'edit',
  'language',
  'sun',
  'moon',
  'leave',
  'clock',
  'share',
  'keys',
  'chart',
  'queue',
  'people',
  'category',
] as const

export type IconName = (typeof iconNames)[number]

/** A drawing in the colour of the text, which says nothing by itself: words stand beside it. */
export const icon = (name: IconName): Html =>
  html`<svg class="icon" aria-hidden="true"><use href="${assetPath('icons.svg')}#${name}"/></svg>`

const steps = html`<path d="M0 11h6v5H0z"/><path d="M6 6h6v10H6z"/><path d="M12 0h6v16h-6z"/>`

/** The mark: three rising steps. */
export const mark = (name = 'mark'): Html =>
  html`<svg class="${name}" aria-hidden="true" viewBox="0 0 18 16">${steps}</svg>`
