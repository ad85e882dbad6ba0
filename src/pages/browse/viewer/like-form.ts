import { type Html, html } from '../../../lib/html.ts'
import type { StoredFile } from '../../../media/index.ts'
import { tokenField } from '../../../ui/form.ts'
import { submitButton } from '../../../ui/parts/controls.ts'
import type { Reader } from '../../../ui/reader.ts'
import { writeCount } from '../../../words/format.ts'

interface Liked {
  file: StoredFile
  isLiked: boolean
  reader: Reader
}

/** A guest is asked to log in. The script likes without a reload. */
export function likeForm({ file, isLiked, reader }: Liked): Html {
  const { words, account, path } = reader
  const look = { look: 'plain', icon: 'heart' } as const
  if (!account?.user)
    return html`<form action="/login"><input name="to" value="${path}" type="hidden">${submitButton(words.like, look)}</form>`
  return html`<form method="post" action="/-/files/${file.id}/like" data-like="${file.id}">${tokenField(reader)}<input name="is_liked" value="${isLiked ? '0' : '1'}" type="hidden">${submitButton(
    words.like,
    { ...look, more: { 'aria-pressed': String(isLiked), 'aria-keyshortcuts': 'l' } },
  )}</form>`
}

/** The script counts the reader's own. */
export function likeCount({ likes }: StoredFile, { words, language, account }: Reader): Html | undefined {
  if (!account?.user && likes === 0) return undefined
  return html` · <span data-likes="${likes}" data-one="${words.likes.one('#')}" data-other="${words.likes.other('#')}">${writeCount(language, words.likes, likes)}</span>`
}
