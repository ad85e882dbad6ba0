import type { BulkStep } from '../../../behaviour/undo.ts'
import type { FileObject } from './calls.ts'

type Changes = Record<string, unknown>

/** What is done to the selected files. */
export interface Change {
  action: 'trash' | 'restore' | 'remove' | 'move' | 'edit'
  set?: Readonly<Record<string, unknown>>
  /** The server has taken the values. If it refuses them before, nothing was changed, and the refusal is the caller's. */
  onTaken?: () => void
}

/** The fields of a dialog as the API takes them; the server has the same for its page without script. */
export function changesIn(form: FormData): Changes {
  const chosen = (name: string) => {
    const value = form.get(name)
    return typeof value === 'string' && value !== 'keep' ? value : undefined
  }
  const tags = (name: string) =>
    (chosen(name) ?? '')
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== '')
  const [album, category, nsfw, end] = ['album_id', 'category_id', 'is_nsfw', 'expiration'].map(chosen)
  const [added, removed] = [tags('add_tags'), tags('remove_tags')]
  return {
    ...(album !== undefined && { album_id: album === 'none' ? null : album }),
    ...(category !== undefined && { category_id: category === 'none' ? null : Number(category) }),
    ...(nsfw !== undefined && { is_nsfw: nsfw === '1' }),
    ...(end !== undefined && { expires_at: end === 'none' ? null : endOf(end).toISOString() }),
    ...(added.length > 0 && { add_tags: added }),
    ...(removed.length > 0 && { remove_tags: removed }),
  }
}

/** A lifetime such as P2W or PT5M from now on. */
function endOf(duration: string): Date {
  const [, time = '', count = '0', letter = ''] = /^P(T?)(\d+)([A-Z])$/.exec(duration) ?? []
  const number = Number(count)
  const end = new Date()
  if (time === 'T') end.setTime(end.getTime() + number * (letter === 'H' ? 3_600_000 : 60_000))
  else if (letter === 'Y') end.setUTCFullYear(end.getUTCFullYear() + number)
  else if (letter === 'M') end.setUTCMonth(end.getUTCMonth() + number)
  else end.setUTCDate(end.getUTCDate() + number * (letter === 'W' ? 7 : 1))
  return end
}

/** The changes that take a change back, for files with equal values before it together. */
export function inversesOf(
  before: readonly FileObject[],
  set: Readonly<Changes>,
  versions: ReadonlyMap<string, number>,
): BulkStep[] {
  const steps = new Map<string, BulkStep & { ids: { id: string; version: number }[] }>()
  for (const file of before) {
    const version = versions.get(file.id)
    const inverse = inverseOf(file, set)
    if (version === undefined || Object.keys(inverse).length === 0) continue
    const name = JSON.stringify(inverse)
    const step = steps.get(name) ?? { action: 'edit', set: inverse, ids: [] }
    step.ids.push({ id: file.id, version })
    steps.set(name, step)
  }
  return [...steps.values()]
}

function inverseOf(file: FileObject, set: Readonly<Changes>): Changes {
  const had = new Set(file.tags.map(keyOf))
  const tags = (name: string) => (set[name] as string[] | undefined) ?? []
  const added = tags('add_tags').filter((tag) => !had.has(keyOf(tag)))
  const removed = tags('remove_tags').map(keyOf)
  const lost = file.tags.filter((tag) => removed.includes(keyOf(tag)))
  return {
    ...(set.album_id !== undefined && { album_id: file.album_id }),
    ...(set.category_id !== undefined && { category_id: file.category_id }),
    ...(set.is_nsfw !== undefined && { is_nsfw: file.is_nsfw }),
    ...(set.expires_at !== undefined && { expires_at: file.expires_at }),
    ...(added.length > 0 && { remove_tags: added }),
    ...(lost.length > 0 && { add_tags: lost }),
  }
}

/** Tags are compared as the server keeps them. */
const keyOf = (tag: string) => tag.normalize('NFC').trim().toLowerCase()
