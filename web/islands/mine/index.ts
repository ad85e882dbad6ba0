import { localeOf } from '../../../src/common/format.ts'
import type { MineData } from '../../../src/common/wire.ts'
import { showToast } from '../../behaviour/toast.ts'
import { type OwnFile, openQueueStorage } from '../upload/queue/queue-storage.ts'

/** What a guest has uploaded from this browser, the newest first, without what is deleted by now. */
export async function start(page: HTMLElement): Promise<void> {
  const { words, language }: MineData = JSON.parse(
    page.querySelector('script[type="application/json"]')?.textContent ?? '',
  )
  const storage = openQueueStorage()
  const list = page.querySelector('.own-list') as HTMLElement
  const show = (isEmpty: boolean) => {
    for (const part of page.querySelectorAll<HTMLElement>('[data-if]'))
      part.hidden = (part.dataset.if === 'empty') !== isEmpty
  }
  const times = new Intl.DateTimeFormat(localeOf(language), {
    dateStyle: 'medium',
    timeStyle: 'short',
  })
  const own = (await storage.all('own')).sort((a, b) => b.at - a.at)
  const rows = new Map(own.map((each) => [each, rowOf(each, times.format(each.at), words.remove)]))
  list.append(...rows.values())
  show(rows.size === 0)

  page.querySelector('button')?.addEventListener('click', () => {
    void storage.delete('own', ...own.map(({ id }) => id))
    list.replaceChildren()
    show(true)
    showToast(words.forgotten)
  })
  for (const [each, row] of rows) {
    const { status } = await fetch(each.file.url, { method: 'HEAD' }).catch(() => ({ status: 0 }))
    if (status !== 404 && status !== 410) continue
    row.remove()
    show(list.childElementCount === 0)
    void storage.delete('own', each.id)
  }
}

function rowOf({ name, file }: OwnFile, time: string, remove: string): HTMLElement {
  const title = file.title ?? name
  const picture = element('span', 'queue-picture')
  const { thumb } = file.versions
  if (thumb) picture.append(Object.assign(new Image(), { src: thumb.url, alt: '', loading: 'lazy' }))
  const link = Object.assign(element('a', 'queue-name'), { href: file.url_viewer })
  link.append(Object.assign(element('bdi'), { textContent: title }))
  const what = element('div', 'queue-what')
  what.append(link, Object.assign(element('p', 'soft small'), { textContent: time }))
  const deletion = Object.assign(element('a', 'button plain dense'), {
    href: file.delete_url ?? '',
    textContent: remove,
    ariaLabel: `${remove}: ${title}`,
  })
  const row = element('li')
  row.append(picture, what, deletion)
  return row
}

const element = <Name extends keyof HTMLElementTagNameMap>(name: Name, className = '') =>
  Object.assign(document.createElement(name), { className })
