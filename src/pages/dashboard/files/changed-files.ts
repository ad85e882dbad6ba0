import { type Html, html } from '../../../lib/html.ts'
import { hasTrash } from '../../../media/index.ts'
import { readSettings } from '../../../site/index.ts'
import { tokenField } from '../../../ui/form.ts'
import { submitButton } from '../../../ui/parts/controls.ts'
import { writeCount } from '../../../words/format.ts'
import type { PageCall, PageHandler } from '../../page-call.ts'
import {
  change,
  isFileAction,
  readChoice,
  readChosen,
  readReason,
  undo,
  writeChosen,
} from './file-choices.ts'

/** A page whose form changes files: it comes back with what became of them, and the way back. */
type FilesPath = '/dashboard/queue' | '/dashboard/files' | '/dashboard/reports'

export const postFiles =
  (path: FilesPath): PageHandler =>
  async (call) => {
    const { action, files } = readChoice(call.form)
    const changed = await change(call, action, files, readReason(call.form, action))
    return {
      to: addressOf(path, call.form.get('show'), {
        did: action,
        files: changed.map(writeChosen).join(),
        left: String(files.length - changed.length),
      }),
    }
  }

export const postUndo =
  (path: FilesPath): PageHandler =>
  async (call) => {
    const { form } = call
    const did = form.get('did')
    const files = readChosen((form.get('files') ?? '').split(',').filter((text) => text !== ''))
    const changed = isFileAction(did) ? await undo(call, did, files) : []
    const left = String(files.length - changed.length)
    return { to: addressOf(path, form.get('show'), { did: 'undo', count: String(changed.length), left }) }
  }

/** The list that the form was in stays open. */
function addressOf(path: FilesPath, show: string | null, done: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(show === null || show === '' ? done : { show, ...done })
  return `${path}?${query}`
}

/** What the last form did, in words, with Undo as long as it can be taken back. */
export async function changedFiles(call: PageCall, path: FilesPath): Promise<Html | undefined> {
  const { query, reader } = call
  const { words, language } = reader
  const did = query.get('did')
  const left = countIn(query.get('left'))
  const stayed = left === 0 ? undefined : html`<p>${writeCount(language, words.filesNotChanged, left)}</p>`
  if (did === 'undo') {
    const count = countIn(query.get('count'))
    return html`<p>${writeCount(language, words.filesUndone, count)}</p>${stayed}`
  }
  if (!isFileAction(did)) return undefined
  const files = readChosen((query.get('files') ?? '').split(',').filter((text) => text !== ''))
  const nothing = files.length + left === 0
  if (nothing) return html`<p>${words.markFiles}</p>`
  const said = html`${writeCount(language, words.filesDone[did], files.length)}`
  const isLasting = (did === 'trash' || did === 'reject') && !hasTrash(await readSettings(call.site))
  if (files.length === 0 || isLasting) return html`<p>${said}</p>${stayed}`
  return html`<form method="post" action="${path}/undo" class="undo">${tokenField(reader)}${hidden('did', did)}${hidden('show', query.get('show') ?? '')}${hidden('files', files.map(writeChosen).join())}${said} ${submitButton(words.undo, { look: 'plain', isDense: true, icon: 'undo' })}</form>${stayed}`
}

const hidden = (name: string, value: string): Html =>
  html`<input name="${name}" value="${value}" type="hidden">`

const countIn = (text: string | null): number => (/^\d{1,6}$/.test(text ?? '') ? Number(text) : 0)
