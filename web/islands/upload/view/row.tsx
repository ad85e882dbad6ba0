import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Item } from '../queue/row.ts'
import { Icon } from './parts.tsx'
import { Actions } from './row-actions.tsx'
import { Detail } from './row-detail.tsx'
import { useUploadContext } from './upload-context.ts'

interface RowForm {
  item: Item
  index: number
  count: number
  /** In pixels, from the top of the list. */
  top: number
}

/** One file: what it is, how far it is or why it was refused, and what can be done with it. */
export function RowView({ item, index, count, top }: RowForm) {
  const { formatter } = useUploadContext()
  const { name, size, state } = item.row
  return (
    <li
      class={`queue-row is-${state}`}
      aria-setsize={count}
      aria-posinset={index + 1}
      style={{ transform: `translateY(${top}px)` }}
    >
      <Preview item={item} />
      <div class="queue-what">
        <p class="queue-name">
          <bdi title={name}>{name}</bdi>
          {size > 0 && <span class="soft small">{formatter.size(size)}</span>}
        </p>
        <Detail item={item} />
      </div>
      <Actions item={item} />
    </li>
  )
}

/** The picture itself until it is stored, then its thumb; a collected file goes on showing itself. What the browser cannot show has the icon of its type. */
function Preview({ item }: { item: Item }) {
  const { file, url } = item.row
  const bytes = file?.versions ? undefined : item.bytes
  const own = useMemo(
    () => (bytes && isShownByBrowsers(bytes.type) ? URL.createObjectURL(bytes) : undefined),
    [bytes],
  )
  useEffect(() => () => (own ? URL.revokeObjectURL(own) : undefined), [own])
  const address = (file?.versions?.thumb ?? file?.versions?.frame)?.url ?? own
  const [unshown, setUnshown] = useState<string>()
  const isVideo = file?.type === 'video' || bytes?.type.startsWith('video/')
  return (
    <span class="queue-picture">
      {address && address !== unshown ? (
        <img src={address} alt="" decoding="async" onError={() => setUnshown(address)} />
      ) : (
        <Icon name={url ? 'link' : isVideo ? 'video' : 'picture'} />
      )}
    </span>
  )
}

const isShownByBrowsers = (type: string) => /^image\/(jpeg|png|gif|webp|avif|bmp)$/.test(type)
