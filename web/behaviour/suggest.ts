import type { Suggestion } from '../../src/common/wire.ts'
import { drawing } from '../parts/drawing.ts'
import { askSite } from './island-data.ts'

const restMs = 120
const leastLetters = 2

/** Suggests tags, albums and people below a search field. The arrow keys choose one, `Enter` or a click opens it, `Esc` closes the list. */
export function startSuggesting(field: HTMLInputElement): void {
  const { form } = field
  if (!form || field.ariaAutoComplete === 'list') return
  // Of a search for one thing, the first hit is meant.
  const leadsToFirst = form.dataset.enter === 'first'
  const icons = form.querySelector('use')?.getAttribute('href')?.split('#', 1).join() ?? ''
  const list = document.createElement('ul')
  list.id = `${field.id || 'top-search'}-suggestions`
  list.className = 'suggestions'
  list.role = 'listbox'
  list.ariaLabel = form.dataset.suggest ?? ''
  list.hidden = true
  field.after(list)
  field.autocomplete = 'off'
  field.role = 'combobox'
  field.ariaAutoComplete = 'list'
  field.ariaExpanded = 'false'
  field.setAttribute('aria-controls', list.id)
  let rest: ReturnType<typeof setTimeout> | undefined
  let asked: AbortController | undefined

  const options = () => [...list.children] as HTMLElement[]
  const show = (isShown: boolean) => {
    list.hidden = !isShown
    field.ariaExpanded = String(isShown)
    choose(undefined)
  }
  const close = () => {
    clearTimeout(rest)
    asked?.abort()
    show(false)
  }
  function choose(option: HTMLElement | undefined): void {
    for (const each of options()) each.ariaSelected = String(each === option)
    if (option) field.setAttribute('aria-activedescendant', option.id)
    else field.removeAttribute('aria-activedescendant')
  }
  const open = (option: HTMLElement | undefined) =>
    option?.dataset.path && location.assign(option.dataset.path)

  async function ask(): Promise<void> {
    asked?.abort()
    asked = new AbortController()
    const path = `${form?.dataset.from ?? '/-/suggestions'}?q=${encodeURIComponent(field.value)}`
    // Without an answer the search works as without suggestions.
    const found = await askSite<Suggestion[]>(path, asked.signal).catch(() => undefined)
    if (found === undefined) return
    list.replaceChildren(...found.map((each, index) => optionOf(each, `${list.id}-${index}`, icons)))
    show(found.length > 0 && document.activeElement === field)
  }
  const askSoon = () => {
    clearTimeout(rest)
    if ([...field.value.trim()].length < leastLetters) return close()
    rest = setTimeout(() => void ask(), restMs)
  }
  field.addEventListener('input', askSoon)
  field.addEventListener('blur', close)
  field.addEventListener('keydown', (event) => {
    if (list.hidden || event.isComposing) return
    const all = options()
    const at = all.findIndex(({ ariaSelected }) => ariaSelected === 'true')
    if (event.key === 'ArrowDown') choose(all[at + 1] ?? all[0])
    else if (event.key === 'ArrowUp') choose(all.at(at > 0 ? at - 1 : -1))
    else if (event.key === 'Enter' && (at !== -1 || leadsToFirst)) open(all[at] ?? all[0])
    else if (event.key === 'Escape') close()
    else return
    event.preventDefault()
  })
  // The field keeps the focus until the click has opened the page.
  list.addEventListener('pointerdown', (event) => event.preventDefault())
  list.addEventListener('click', ({ target }) => {
    if (target instanceof Element) open(target.closest<HTMLElement>('[role=option]') ?? undefined)
  })
  if (field.value !== field.defaultValue) askSoon()
}

function optionOf({ icon, kind, text, path }: Suggestion, id: string, icons: string): HTMLElement {
  const option = document.createElement('li')
  option.id = id
  option.role = 'option'
  option.ariaSelected = 'false'
  option.dataset.path = path
  const [name, what] = [document.createElement('bdi'), document.createElement('span')]
  name.textContent = text
  what.textContent = kind
  what.className = 'soft small'
  option.append(drawing(`${icons}#${icon}`), name, what)
  return option
}
