import { readPage } from './read-page.ts'

const restMs = 120

const started = new WeakSet<HTMLFormElement>()

/** Filters a list as the reader types: asks for the page that the form leads to and takes over the parts that the form names. */
export function startFilter(field: HTMLInputElement): void {
  const { form } = field
  if (!form || started.has(form)) return
  started.add(form)
  const ids = form.dataset.filter?.split(' ') ?? []
  let rest: ReturnType<typeof setTimeout> | undefined
  let asked = 0

  async function ask({ form }: { form: HTMLFormElement }): Promise<void> {
    asked += 1
    const turn = asked
    const address = addressOf(form)
    const page = await readPage(address)
    // A later answer is on its way, or is here already.
    if (turn !== asked) return
    const found = ids.map((id) => [document.getElementById(id), page?.getElementById(id)] as const)
    // Such as the log-in, after the end of the session: the browser shows what there is.
    if (found.some(([shown, read]) => !shown || !read)) return form.submit()
    for (const [shown, read] of found) shown?.replaceChildren(...(read?.childNodes ?? []))
    history.replaceState(history.state, '', address)
  }

  const askSoon = () => {
    clearTimeout(rest)
    rest = setTimeout(() => void ask({ form }), restMs)
  }
  form.addEventListener('input', askSoon)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    clearTimeout(rest)
    void ask({ form })
  })
  // Typed while this script was loaded.
  if (field.value !== field.defaultValue) askSoon()
}

/** Without the fields that are empty. */
function addressOf(form: HTMLFormElement): string {
  const fields = [...new FormData(form)].map(([name, value]) => [name, String(value)])
  const given = new URLSearchParams(fields.filter(([, value]) => value !== ''))
  const path = form.getAttribute('action') ?? location.pathname
  return given.size === 0 ? path : `${path}?${given}`
}
