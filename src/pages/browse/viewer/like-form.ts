import { type Html, html } from '../../../lib/html.ts'
import type { StoredFile } from '../../../media/index.ts'
import { writeCount } from '../../../words/format.ts'
import { tokenField } from '../../form.ts'
import { submitButton } from '../../parts/controls.ts'
import { icon } from '../../parts/icon.ts'
import type { Reader } from '../../reader.ts'

interface Liked {
  file: StoredFile
  isLiked: boolean
  reader: Reader
}

/** A guest sees the number alone. The script likes without a reload. */
export function likeForm({ file, isLiked, reader }: Liked): Html | undefined {
  const { words, language, account } = reader
  const count = writeCount(language, words.likes, file.likes)
  if (!account?.user)
    return file.likes === 0 ? undefined : html`<span class="likes soft">${icon('heart')}${count}</span>`
  return html`<form method="post" action="/-/files/${file.id}/like" data-like="${file.id}">${tokenField(reader)}<input name="is_liked" value="${isLiked ? '0' : '1'}" type="hidden">${submitButton(
    words.like,
    { look: 'plain', icon: 'heart', more: { 'aria-pressed': String(isLiked), 'aria-keyshortcuts': 'l' } },
  )} <span class="likes soft" data-likes="${file.likes}" data-one="${words.likes.one('#')}" data-other="${words.likes.other('#')}">${count}</span></form>`
}
