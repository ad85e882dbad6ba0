import { showToast } from '../../behaviour/toast.ts'

/** Shows the like at the click; a refusal puts it back and says why. */
export function startLike(form: HTMLFormElement): void {
  const button = form.querySelector('button')
  const count = form.closest('.viewer')?.querySelector<HTMLElement>('[data-likes]')
  const field = form.querySelector<HTMLInputElement>('[name=is_liked]')
  if (!button || !count || !field) return
  const show = (isLiked: boolean, by: number) => {
    button.ariaPressed = String(isLiked)
    field.value = isLiked ? '0' : '1'
    const { likes = '0', one = '#', other = '#' } = count.dataset
    const sum = Number(likes) + by
    count.dataset.likes = String(sum)
    const number = new Intl.NumberFormat(document.documentElement.lang).format(sum)
    count.textContent = (sum === 1 ? one : other).replace('#', number)
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const isLiked = field.value === '1'
    show(isLiked, isLiked ? 1 : -1)
    void send(form, isLiked).catch((error: Error) => {
      show(!isLiked, isLiked ? -1 : 1)
      showToast(error.message)
    })
  })
}

async function send({ dataset }: HTMLFormElement, isLiked: boolean): Promise<void> {
  const response = await fetch(`/api/5/files/${dataset.like}/like`, {
    method: isLiked ? 'PUT' : 'DELETE',
    headers: { 'x-terrace-page': '1' },
  })
  if (response.ok) return
  const { detail } = await response.json()
  throw new Error(detail)
}
