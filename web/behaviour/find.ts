/**
 * `Ctrl K` leads to the search of the console. As in other consoles, it works while another field is typed in, too. `Escape`
 * leads back to where the focus was.
 */
export function startFinding(): void {
  const find = document.querySelector<HTMLInputElement>('.find input')
  let before: HTMLElement | undefined
  addEventListener('keydown', (event) => {
    if (event.key !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
    event.preventDefault()
    const { activeElement } = document
    if (activeElement !== find) before = activeElement instanceof HTMLElement ? activeElement : undefined
    find?.focus()
    find?.select()
  })
  find?.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.isComposing) return
    event.preventDefault()
    find.blur()
    before?.focus()
    before = undefined
  })
}
