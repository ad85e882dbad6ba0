/** The fields of a file that an edit changes; null clears one. */
export interface FileEdit {
  title?: string | null
  description?: string | null
  /** All tags of the file; together with neither of the next two. */
  tags?: readonly string[]
  addTags?: readonly string[]
  removeTags?: readonly string[]
  categoryId?: number | null
  /** Moves the file. */
  albumId?: string | null
  isNsfw?: boolean
  isPrivate?: boolean
  expiresAt?: Date | null
  /** For administrators and managers. */
  date?: Date
  /** Ends every signed address of its bytes. */
  rotatesAddress?: boolean
}

export const longestFileText = { title: 100, description: 5_000 }

/** Why a text cannot be the title or the description; undefined if it can. */
export function fileTextFault(field: 'title' | 'description', text: string): string | undefined {
  const length = [...text].length
  if (length === 0 || length > longestFileText[field])
    return `must be 1 to ${longestFileText[field]} characters long, not ${length}`
  return text.includes('\0') ? 'must not contain NUL' : undefined
}
