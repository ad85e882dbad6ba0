import { type Html, html } from '../../../lib/html.ts'
import type { Share } from '../../../media/index.ts'
import { tokenField } from '../../form.ts'
import { checkField, linkButton, submitButton, textField } from '../../parts/controls.ts'
import { banner } from '../../parts/states.ts'
import type { Reader } from '../../reader.ts'
import { type FormFaults, textsBesides } from '../../refusal-words.ts'

/** The fields of the form as they were sent, or as the share has them. */
export interface ShareFields {
  name: string
  /** As a browser writes a date and a time: `2027-01-31T12:00`. */
  expiresAt: string
  maxViews: string
  allowsDownload: boolean
  allowsUpload: boolean
  maxUploads: string
  isWithoutPassword: boolean
}

export const fieldsOfForm = (form: URLSearchParams): ShareFields => {
  const text = (name: string) => (form.get(name) ?? '').trim()
  return {
    name: text('name'),
    expiresAt: text('expires_at'),
    maxViews: text('max_views'),
    allowsDownload: form.has('allow_download'),
    allowsUpload: form.has('allow_upload'),
    maxUploads: text('max_uploads'),
    isWithoutPassword: form.has('no_password'),
  }
}

const minuteOf = (time: Date | undefined) => time?.toISOString().slice(0, 16) ?? ''

export const fieldsOfShare = (share: Share): ShareFields => ({
  name: share.name,
  expiresAt: minuteOf(share.expiresAt),
  maxViews: String(share.maxViews ?? ''),
  allowsDownload: share.allowsDownload,
  allowsUpload: share.allowsUpload,
  maxUploads: String(share.maxUploads ?? ''),
  isWithoutPassword: false,
})

export const newFields = (end: Date | undefined): ShareFields => ({
  name: '',
  expiresAt: minuteOf(end),
  maxViews: '',
  maxUploads: '',
  allowsDownload: true,
  allowsUpload: false,
  isWithoutPassword: false,
})

/** The fields as the API takes them; a number that is none stays a text, which the API refuses. */
export function bodyOf(fields: ShareFields, password: string, of: 'album' | 'file'): Record<string, unknown> {
  const number = (text: string) => (text === '' ? null : /^\d{1,15}$/.test(text) ? Number(text) : text)
  const end = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(fields.expiresAt)
    ? `${fields.expiresAt}:00.000Z`
    : fields.expiresAt
  return {
    name: fields.name,
    expires_at: end === '' ? null : end,
    max_views: number(fields.maxViews),
    ...(password !== '' ? { password } : fields.isWithoutPassword ? { password: null } : {}),
    allow_download: fields.allowsDownload,
    ...(of === 'album' && {
      allow_upload: fields.allowsUpload,
      max_uploads: fields.allowsUpload ? number(fields.maxUploads) : null,
    }),
  }
}

interface ShareForm {
  fields: ShareFields
  faults: FormFaults
  of: 'album' | 'file'
  hasPassword: boolean
  /** The words of the button, where the form goes and the way back. */
  save: string
  action: string
  back?: string
}

const fieldsOfFile = ['name', 'expires_at', 'max_views', 'password']
const fieldsOf = { file: fieldsOfFile, album: [...fieldsOfFile, 'max_uploads'] }

export function shareForm(reader: Reader, form: ShareForm): Html {
  const { fields, faults, of, hasPassword, save, action, back } = form
  const { words } = reader
  const others = textsBesides(faults, fieldsOf[of])
  const numeric = { inputmode: 'numeric', autocomplete: 'off' }
  return html`${others.map((text) => banner(html`${text}`, 'danger'))}
<form method="post" action="${action}" class="ask">${tokenField(reader)}
${textField({ label: words.shareName, name: 'name', id: 'share-name', value: fields.name, hint: words.shareNameHint, fault: faults.get('name'), more: { dir: 'auto', autocomplete: 'off' } })}
${textField({ label: words.shareEnds, name: 'expires_at', id: 'share-expires_at', value: fields.expiresAt, hint: words.shareEndsHint, fault: faults.get('expires_at'), more: { type: 'datetime-local' } })}
${textField({ label: words.shareMaxViews, name: 'max_views', id: 'share-max_views', value: fields.maxViews, hint: words.shareMaxViewsHint, fault: faults.get('max_views'), more: numeric })}
${textField({ label: words.sharePassword, name: 'password', id: 'share-password', fault: faults.get('password'), ...(hasPassword && { hint: words.sharePasswordKeep }), more: { type: 'password', autocomplete: 'new-password' } })}
${hasPassword ? checkField({ label: words.sharePasswordNone, name: 'no_password', isOn: fields.isWithoutPassword }) : undefined}
${checkField({ label: words.shareDownload, name: 'allow_download', isOn: fields.allowsDownload })}
${
  of === 'file'
    ? undefined
    : html`${checkField({ label: words.shareUpload, name: 'allow_upload', isOn: fields.allowsUpload })}
<p class="hint">${words.shareUploadHint}</p>
${textField({ label: words.shareMaxUploads, name: 'max_uploads', id: 'share-max_uploads', value: fields.maxUploads, hint: words.shareMaxUploadsHint, fault: faults.get('max_uploads'), more: numeric })}`
}
<p class="actions">${submitButton(save, { icon: 'share' })}${back === undefined ? undefined : linkButton(words.cancel, back, { look: 'plain' })}</p>
</form>`
}
