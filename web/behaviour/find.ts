/** `Ctrl K` leads to the search of the console. As in other consoles, it works while another field is typed in, too. */
export function startFinding(): void {
  addEventListener('keydown', (event) => {
    if (event.key !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
    event.preventDefault()
    const find = document.querySelector<HTMLInputElement>('.find input')
    find?.focus()
    find?.select()
  })
}
