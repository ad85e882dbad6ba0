import type { ComponentChildren } from 'preact'
import { useUploadContext } from './upload-context.ts'

/** A drawing of the page's sprite. */
export function Icon({ name }: { name: string }) {
  const { data } = useUploadContext()
  return (
    <svg class="icon" aria-hidden="true" viewBox="0 0 24 24">
      <use href={`${data.icons}#${name}`} />
    </svg>
  )
}

interface ButtonForm {
  onClick: (button: HTMLElement) => unknown
  /** Classes beside `button`. */
  look?: string
  icon?: string
  /** Read aloud in place of the label, which may be missing then. */
  name?: string | undefined
  keys?: string
  isExpanded?: boolean
  children?: ComponentChildren
}

export function Button({ onClick, look = '', icon, name, keys, isExpanded, children }: ButtonForm) {
  return (
    <button
      type="button"
      class={`button ${look}${children ? '' : ' only-icon'}`}
      onClick={({ currentTarget }) => void onClick(currentTarget)}
      {...(name !== undefined && { 'aria-label': name })}
      {...(!children && { title: name })}
      {...(keys !== undefined && { 'aria-keyshortcuts': keys })}
      {...(isExpanded !== undefined && { 'aria-expanded': isExpanded })}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}
