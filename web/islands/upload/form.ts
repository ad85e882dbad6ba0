import type { UploadData } from '../../../src/common/wire.ts'
import { readPage } from '../../behaviour/read-page.ts'
import { showToast } from '../../behaviour/toast.ts'
import type { Queue } from './queue/queue.ts'
import type { Options } from './queue/row.ts'
import { addressIn, isShown, type Source } from './queue/sources.ts'

export type Add = (sources: readonly Source[]) => Promise<void>

const optionNames = ['title', 'tags', 'album_id', 'category_id', 'expiration', 'nsfw', 'contributor']

/** Makes the plain form of the upload page feed the queue. Returns what adds files with the options of the form. */
export function startForm(page: HTMLElement, { queue, data }: { queue: Queue; data: UploadData }): Add {
  const form = page.querySelector('form') as HTMLFormElement

  async function add(sources: readonly Source[]): Promise<void> {
    const name = fieldOf(form, 'new_album')
    const title = name?.value.trim() ?? ''
    if (name && title !== '') {
      const unmade = { refusal: data.words.noConnection }
      const made = await import('../../behaviour/bulk.ts').then(
        ({ createAlbum, Refused }) =>
          createAlbum(title).catch((error) =>
            error instanceof Refused ? { refusal: error.message } : unmade,
          ),
        () => unmade,
      )
      if ('refusal' in made) showToast(made.refusal)
      else {
        fieldOf<HTMLSelectElement>(form, 'album_id')?.append(new Option(made.title, made.id, true, true))
        name.value = ''
        showToast(data.words.albumMade)
      }
    }
    await queue.add(sources, optionsOf(form))
  }

  for (const input of form.querySelectorAll<HTMLInputElement>('input[type=file]')) {
    // The plain form of a share takes one file.
    if (data.isCollecting) Object.assign(input, { multiple: true, required: false })
    const take = () => {
      const files = [...(input.files ?? [])].filter(({ webkitRelativePath: path }) =>
        path.split('/').every(isShown),
      )
      // Emptied, so that the same file can be chosen again.
      input.value = ''
      if (files.length > 0) void add(files)
    }
    input.addEventListener('change', take)
    // Chosen before this script was loaded.
    take()
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const url = fieldOf(form, 'url')
    const address = addressIn(url?.value ?? '')
    if (!url || address === undefined) return showToast(page.dataset.notALink ?? '')
    url.value = ''
    void add([address])
  })
  form.addEventListener('change', () => queue.setOptions(optionsOf(form)))
  return add
}

/** Shows what a request for files still takes, and its form only while it takes any. */
export async function showLeft({ sendsAt, isCollecting }: UploadData): Promise<void> {
  const page = isCollecting ? await readPage(sendsAt.replace(/\/files$/, '?left')) : undefined
  const left = page?.querySelector('[data-left]')
  if (!page || !left) return
  document.querySelector('[data-left]')?.replaceChildren(...left.childNodes)
  const form = document.querySelector<HTMLElement>('.collecting form')
  if (form) form.hidden = !page.querySelector('.collecting form')
}

const fieldOf = <T extends HTMLElement = HTMLInputElement>(form: HTMLFormElement, name: string) =>
  form.elements.namedItem(name) as T | null

function optionsOf(form: HTMLFormElement): Options {
  const given = new FormData(form)
  return Object.fromEntries(
    optionNames.flatMap((name) => {
      const value = given.get(name)
      return typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()]] : []
    }),
  )
}
