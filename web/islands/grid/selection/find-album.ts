/** Filters the albums of the dialog by what is typed. A name that no album has becomes that of a new one. */
export function findByTyping(form: HTMLFormElement, noAlbum: string): void {
  const box = form.querySelector<HTMLElement>('[data-find]')
  const [field, select, name] = ['find', 'album_id', 'new_album'].map((each) => form.elements.namedItem(each))
  if (!box?.hidden || !(field instanceof HTMLInputElement) || !(name instanceof HTMLInputElement)) return
  if (!(select instanceof HTMLSelectElement)) return
  box.hidden = false
  const hint = document.createElement('p')
  hint.className = 'hint'
  hint.role = 'status'
  field.after(hint)
  const all = [...select.options]
  const formOf = (text: string) => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().trim()
  let proposed = ''
  field.addEventListener('input', () => {
    const typed = formOf(field.value)
    const found = all.filter((option, index) => index > 0 && formOf(option.text).includes(typed))
    select.replaceChildren(...(typed === '' ? all : found))
    // The one that begins with it comes before those that have it in the middle.
    const best = found.find((option) => formOf(option.text).startsWith(typed)) ?? found[0]
    select.value = (typed === '' ? all[0] : best)?.value ?? ''
    select.size = typed === '' || found.length < 2 ? 0 : Math.min(found.length, 6)
    const isNew = typed !== '' && found.length === 0
    hint.textContent = isNew ? noAlbum : ''
    // A name that was typed there by hand is kept.
    if (name.value === proposed) name.value = proposed = isNew ? field.value.trim() : ''
  })
  form.addEventListener('reset', () => {
    select.replaceChildren(...all)
    select.size = 0
    hint.textContent = proposed = ''
  })
}
