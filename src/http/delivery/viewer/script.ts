/** The page works without it: it fills in the buttons that copy, and selects a code that is gone into. */
export const script = `
for (const row of document.querySelectorAll('.code')) {
  const [field, button] = [row.querySelector('input'), row.querySelector('button')]
  const told = row.closest('details').querySelector('.told')
  field.addEventListener('focus', () => field.select())
  button.hidden = false
  button.addEventListener('click', async () => {
    try {
      if (navigator.clipboard) await navigator.clipboard.writeText(field.value)
      else {
        field.select()
        if (!document.execCommand('copy')) throw new Error()
        button.focus()
      }
      button.textContent = told.textContent = 'Copied'
    } catch {
      field.focus()
      told.textContent = 'Press Ctrl+C to copy'
    }
    setTimeout(() => { button.textContent = 'Copy'; told.textContent = '' }, 2000)
  })
}
`
