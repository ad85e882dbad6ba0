import { showToast } from '../../../behaviour/toast.ts'
import { showLeft } from '../form.ts'
import { type Item, isOpen } from '../queue/row.ts'
import { copyAndAnnounce } from './chosen.ts'
import { Button } from './parts.tsx'
import { useUploadContext } from './upload-context.ts'

export function Actions({ item }: { item: Item }) {
  const { data, queue, formatter } = useUploadContext()
  const { words } = data
  const { state, name, file } = item.row
  /** Only this page can prove that it has sent the file. */
  const takeBack = async ({ row }: Item) => {
    const { id = '', removal = '' } = row.file ?? {}
    const body = new URLSearchParams({ proof: removal })
    const response = await fetch(`${data.sendsAt}/${id}/remove`, { method: 'POST', body }).catch(
      () => undefined,
    )
    if (response?.ok) {
      queue.remove(item)
      void showLeft(data)
    } else showToast(words.noConnection)
  }
  if (file && data.isCollecting)
    return (
      <Button
        look="plain dense"
        onClick={() => void takeBack(item)}
        name={formatter.fill(words.takeBackOne, { name })}
      >
        {words.takeBack}
      </Button>
    )
  if (file) {
    const copy = (button: HTMLElement) => copyAndAnnounce([file], button)
    return (
      <Button look="plain dense" onClick={copy} name={formatter.fill(words.copyOne, { name })}>
        {words.copy}
      </Button>
    )
  }
  return (
    <div class="queue-actions">
      {state === 'failed' && (
        <Button
          look="plain dense"
          onClick={() => queue.retry(item)}
          name={formatter.fill(words.retryOne, { name })}
        >
          {words.retry}
        </Button>
      )}
      {state === 'lost' && <ChooseAgain item={item} />}
      <Button
        look="quiet"
        icon="close"
        name={formatter.fill(isOpen(item.row) ? words.cancel : words.remove, { name })}
        onClick={() => queue.remove(item)}
      />
    </div>
  )
}

function ChooseAgain({ item }: { item: Item }) {
  const { data, queue, formatter } = useUploadContext()
  const { words } = data
  const choose = ({ files }: HTMLInputElement) => {
    const file = files?.[0]
    if (file && !queue.chooseAgain(item, file)) showToast(words.chooseAgainOther)
  }
  return (
    <label class="button plain dense">
      {words.choose}
      <input
        type="file"
        class="only-read"
        onChange={({ currentTarget }) => choose(currentTarget)}
        aria-label={formatter.fill(words.chooseOne, { name: item.row.name })}
      />
    </label>
  )
}
