import { useSignal } from '@preact/signals'
import type { UploadedFile } from '../../../../src/common/wire.ts'
import type { Queue } from '../queue/queue.ts'
import {
  chooseCopying,
  chooseFormat,
  chooseSize,
  chosenFormat,
  chosenSize,
  copiesWhenDone,
  copyAndAnnounce,
  formats,
  sizes,
} from './chosen.ts'
import { Button } from './parts.tsx'
import { useUploadContext } from './upload-context.ts'

/** Copies all links as soon as the last file is stored. */
export function CopyWhenDone() {
  const { words } = useUploadContext().data
  return (
    <label class="check">
      <input
        type="checkbox"
        role="switch"
        aria-checked={copiesWhenDone.value}
        checked={copiesWhenDone.value}
        onChange={({ currentTarget }) => chooseCopying(currentTarget.checked)}
      />
      {words.copyWhenDone}
    </label>
  )
}

/** In the order in which they were chosen. */
export const storedFiles = (queue: Queue): UploadedFile[] =>
  queue.items.peek().flatMap(({ row }) => row.peek().file ?? [])

export function CopyBar() {
  const { data, queue, formatter } = useUploadContext()
  const { words } = data
  const isUnfolded = useSignal(false)
  const { done } = queue.counts.value
  const names = { ...words.formats, ...words.sizes }
  const copy = (button: HTMLElement) => copyAndAnnounce(storedFiles(queue), button)
  return (
    <div class={`copy-bar queue-copy${isUnfolded.value ? ' is-unfolded' : ''}`}>
      <div class="queue-choices">
        <Choice
          {...{ legend: words.copyFormat, name: 'queue-format', options: formats, names }}
          chosen={chosenFormat.value}
          onChoose={chooseFormat}
        />
        <Choice
          {...{ legend: words.copySize, name: 'queue-size', options: sizes, names }}
          chosen={chosenSize.value}
          onChoose={chooseSize}
        />
      </div>
      <span class="joined">
        {done > 0 && (
          <Button icon="copy" keys="Shift+C" onClick={copy}>
            {formatter.count(words.copyMany, done)}
            <span class="queue-as">
              {formatter.fill(words.copyAs, { format: names[chosenFormat.value] })}
            </span>
          </Button>
        )}
        <Button
          icon="down"
          look={`queue-unfold ${done > 0 ? '' : 'plain'}`}
          name={words.copyFormat}
          isExpanded={isUnfolded.value}
          onClick={() => {
            isUnfolded.value = !isUnfolded.peek()
          }}
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

function Choice<Value extends string>({ legend, name, options, names, chosen, onChoose }: ChoiceForm<Value>) {
  return (
    <fieldset class="choice">
      <legend class="only-read">{legend}</legend>
      {options.map((value) => (
        <label key={value}>
          <input
            type="radio"
            {...{ name, value }}
            checked={value === chosen}
            onChange={() => onChoose(value)}
          />
          {names[value]}
        </label>
      ))}
    </fieldset>
  )
}
