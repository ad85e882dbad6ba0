import { mostReason, reasonFaults } from '../../../http/wire/bulk-changes.ts'
import { faultOf } from '../../../lib/faults.ts'
import type { Html } from '../../../lib/html.ts'
import { invalidFields } from '../../../lib/refusal.ts'
import { type BulkAction, changeFiles } from '../../../media/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { areaField } from '../../../ui/parts/controls.ts'
import type { Words } from '../../../words/en.ts'
import { type PageCall, userOf } from '../../page-call.ts'

/** A file that a form names, with the version that its sender saw. */
export interface ChosenFile {
  id: string
  version: number
}

/** What the pages do to files, and what takes it back. */
const opposites = {
  approve: 'hold',
  keep: 'reopen',
  reject: 'restore',
  trash: 'restore',
  restore: 'trash',
} as const satisfies Partial<Record<BulkAction, BulkAction>>

export type FileAction = keyof typeof opposites

export const isFileAction = (text: string | null): text is FileAction =>
  text !== null && Object.hasOwn(opposites, text)

const mostFiles = 200

export const writeChosen = ({ id, version }: ChosenFile): string => `${id}.${version}`

/** The files of a form or of an address. Each is named once. */
export function readChosen(texts: readonly string[]): ChosenFile[] {
  if (texts.length > mostFiles)
    throw invalidFields([faultOf('file', 'mostEntries', { most: mostFiles, count: texts.length })])
  const chosen = texts.map((text) => {
    const [, id = '', version = ''] = /^([A-Za-z0-9]{1,64})\.(\d{1,9})$/.exec(text) ?? []
    if (id === '') throw invalidFields([faultOf('file', 'id')])
    return { id, version: Number(version) }
  })
  return [...new Map(chosen.map((each) => [each.id, each])).values()]
}

/** What a form asks for: one file by its own button, or those that are marked. */
export function readChoice(form: URLSearchParams): { action: FileAction; files: ChosenFile[] } {
  const [own = '', one] = (form.get('one') ?? '').split(' ')
  const action = one === undefined ? form.get('action') : own
  if (!isFileAction(action))
    throw invalidFields([faultOf('action', 'oneOf', { words: Object.keys(opposites) })])
  return { action, files: readChosen(one === undefined ? form.getAll('file') : [one]) }
}

/** What owners are told of files that are rejected or trashed; one field for all buttons of a form. */
export function readReason(form: URLSearchParams, action: FileAction): string | undefined {
  if (action !== 'reject' && action !== 'trash') return undefined
  const reason = (form.get('reason') ?? '').replaceAll('\r\n', '\n').trim()
  const faults = reasonFaults({ reason })
  if (faults.length > 0) throw invalidFields(faults)
  return reason === '' ? undefined : reason
}

/** A text of several lines, because Enter in a single line would press the first button of the form. */
export const reasonField = (words: Words): Html =>
  areaField({
    label: words.removalReason,
    name: 'reason',
    hint: words.removalReasonHint,
    more: { rows: 2, maxlength: mostReason, dir: 'auto', autocomplete: 'off' },
  })

/** Changes the files that still have the version that was seen. Returns those that were changed, in their new version. */
export async function change(
  call: PageCall,
  action: BulkAction,
  targets: readonly ChosenFile[],
  reason?: string | undefined,
): Promise<ChosenFile[]> {
  if (targets.length === 0) return []
  const results = await changeSite(call.app.control, call.site, (site) =>
    changeFiles(site, userOf(call), { action, targets, edit: {}, isAtomic: false, reason }),
  )
  const refused = new Set(results.filter(({ refusal }) => refusal).map(({ id }) => id))
  return targets.filter(({ id }) => !refused.has(id)).map(({ id, version }) => ({ id, version: version + 1 }))
}

export const undo = (call: PageCall, action: FileAction, files: readonly ChosenFile[]) =>
  change(call, opposites[action], files)
