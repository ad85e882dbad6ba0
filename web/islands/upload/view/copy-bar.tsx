import { useState } from 'preact/hooks'
import { choose, chosen, copyAndAnnounce, filesOf, formats, sizes } from './chosen.ts'
import { Button } from './parts.tsx'
import { useUploadContext } from './upload-context.ts'

/** Copies all links as soon as the last file is stored. */
export function CopyWhenDone() {
  const { words } = useUploadContext().data
  const isOn = chosen['copy-when-done'] === '1'
  return (
    <label class="check">
      <input
        type="checkbox"
        role="switch"
        aria-checked={isOn}
        checked={isOn}
        onChange={({ currentTarget }) => choose('copy-when-done', currentTarget.checked ? '1' : '0')}
      />
      {words.copyWhenDone}
    </label>
  )
}

/** The links of all files; only where there are some. */
export function CopyBar() {
  const { data, queue, formatter } = useUploadContext()
  const { words } = data
  const [isUnfolded, setUnfolded] = useState(false)
  const { done } = queue.counts()
  if (done === 0) return null
  const names = { ...words.formats, ...words.sizes }
  const copy = (button: HTMLElement) => copyAndAnnounce(filesOf(queue.items()), button)
  return (
    <div class={`copy-bar queue-copy${isUnfolded ? ' is-unfolded' : ''}`}>
      <div class="queue-choices">
        <Choice
          {...{ legend: words.copyFormat, name: 'queue-format', options: formats, names }}
          chosen={chosen.format}
          onChoose={(format) => choose('format', format)}
        />
        <Choice
          {...{ legend: words.copySize, name: 'queue-size', options: sizes, names }}
          chosen={chosen.size}
          onChoose={(size) => choose('size', size)}
        />
      </div>
      <span class="joined">
        <Button icon="copy" keys="Shift+C" onClick={copy}>
          {formatter.count(words.copyMany, done)}
          <span class="queue-as">{formatter.fill(words.copyAs, { format: names[chosen.format] })}</span>
        </Button>
        <Button
          icon="down"
          look="queue-unfold"
          name={words.copyFormat}
          isExpanded={isUnfolded}
          onClick={() => setUnfolded(!isUnfolded)}
        />
      </span>
    </div>
  )
}

interface ChoiceForm<Value extends string> {
  legend: string
  name: string
  options: readonly Value[]
  names: Readonly<Record<Value, string>>
  chosen: Value
  onChoose: (value: Value) => void
}

function Choice<Value extends string>(form: ChoiceForm<Value>) {
  const { legend, name, options, names, onChoose } = form
  return (
    <fieldset class="choice">
      <legend class="only-read">{legend}</legend>
      {options.map((value) => (
        <label key={value}>
          <input
            type="radio"
            {...{ name, value }}
            checked={value === form.chosen}
            onChange={() => onChoose(value)}
          />
          {names[value]}
        </label>
      ))}
    </fieldset>
  )
}
