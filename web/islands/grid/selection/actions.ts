import type { SelectionData } from '../../../../src/common/wire.ts'
import { Refused } from '../../../behaviour/bulk.ts'
import { fillText, formatCount } from '../../../behaviour/format-text.ts'
import { type BulkStep, offerUndo } from '../../../behaviour/undo.ts'
import { ask } from './ask.ts'
import { batchSize, changeBatch, type FileObject, filesOf } from './calls.ts'
import { type Change, inversesOf } from './changes.ts'
import { copySelected } from './copy-selected.ts'
import type { ActionContext } from './selection.ts'
import { zipSelected } from './zip-selected.ts'

/** Does with the selected files what the button says. */
export async function runAction(context: ActionContext): Promise<void> {
  const { button, data, selection } = context
  const { words } = data
  const action = button.value
  if (action === 'copy') return copySelected(context)
  if (action === 'zip') return zipSelected(context)
  if (action === 'share') return (await import('./share-selected.ts')).shareSelected(context)
  if (action === 'restore') return change(context, { action })
  if (action === 'trash' && data.hasTrash) return change(context, { action })
  if (action === 'trash' || action === 'remove') {
    const mayRemove = await ask(formatCount(words.removing, selection.count), words.removeYes)
    return mayRemove ? change(context, { action: 'remove' }) : undefined
  }
  const { askFields } = await import('./fields-dialog.ts')
  return askFields(context, action, (asked) => change(context, asked))
}

/** Batch by batch. What was done before a failure is kept, and can be undone. */
async function change(context: ActionContext, { action, set, onTaken }: Change): Promise<void> {
  const { data, selection, root, count, sizeInWords } = context
  const { words } = data
  const total = selection.count
  const steps: BulkStep[] = []
  const reasons: string[] = []
  let changed = 0
  let failure: string | undefined
  root.classList.add('is-working')
  try {
    for (const ids of selection.batches(batchSize)) {
      const before: FileObject[] = set ? await filesOf(ids) : []
      const results = await changeBatch({ action, ids, ...(set && { set }) })
      onTaken?.()
      const versions = new Map(
        results.flatMap(({ id, version }) => (version === null ? [] : [[id, version]])),
      )
      changed += results.filter(({ status }) => status === 200).length
      reasons.push(
        ...results.flatMap(({ status, code }) =>
          status === 200 ? [] : [data.reasons[code] ?? words.refused],
        ),
      )
      const inverse = inverseOf(action, data)
      if (inverse)
        steps.push({ action: inverse, ids: [...versions].map(([id, version]) => ({ id, version })) })
      if (set) steps.push(...inversesOf(before, set, versions))
      if (count && total > batchSize)
        count.textContent = fillText(words.working, { done: changed + reasons.length, count: total })
    }
  } catch (error) {
    if (onTaken && changed + reasons.length === 0) throw error
    failure = error instanceof Refused ? error.message : words.noConnection
  } finally {
    root.classList.remove('is-working')
  }
  if (count) count.textContent = sizeInWords()
  const { trashed: trash, restored: restore, removed: remove, changed: edited } = words
  const done = { trash, restore, remove, move: edited, edit: edited }[action]
  const texts = [
    ...(changed > 0 ? [formatCount(done, changed)] : []),
    ...(reasons.length > 0
      ? [formatCount(words.left, reasons.length, { reason: [...new Set(reasons)].join(' ') })]
      : []),
    ...(failure === undefined ? [] : [failure]),
  ]
  const { undo: label, undone, undoLeft, noConnection } = words
  offerUndo({
    text: texts.join(' '),
    steps: steps.filter(({ ids }) => ids.length > 0),
    words: { label, undone, undoLeft, noConnection },
  })
  if (changed === 0) return
  // The list, or the look of its files, is another one now; the message and the way back move along.
  const isRead = !set || data.isAlbum || set.is_nsfw !== undefined
  if (isRead) context.leave()
  selection.clear()
  if (isRead) location.reload()
}

/** The action that takes another one back. Without a trash, to put a restored file back there would remove it for good. */
function inverseOf(action: Change['action'], { hasTrash }: SelectionData): string | undefined {
  if (action === 'trash') return 'restore'
  return action === 'restore' && hasTrash ? 'trash' : undefined
}
