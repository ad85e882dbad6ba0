import { type Html, html } from '../../../lib/html.ts'
import type { Share } from '../../../media/index.ts'
import { areaField, checkField, textField } from '../../../ui/parts/controls.ts'
import { banner } from '../../../ui/parts/states.ts'
import type { Reader } from '../../../ui/reader.ts'
import { type FormFaults, textsBesides } from '../../../ui/refusal-words.ts'

/** A link that shows, or one that asks for files. */
export type ShareKind = 'share' | 'request'

export const kindOfShare = ({ allowsUpload }: Share): ShareKind => (allowsUpload ? 'request' : 'share')

/** The options of the form as they were sent, or as the share has them. */
export interface ShareFields {
  name: string
  /** As a browser writes a date and a time: `2027-01-31T12:00`. Undefined: as the site has it. */
  expiresAt: string | undefined
  maxViews: string
  allowsDownload: boolean
  maxUploads: string
  message: string
  asksName: boolean
  isWithoutPassword: boolean
}

export const fieldsOfForm = (form: URLSearchParams): ShareFields => {
  const text = (name: string) => (form.get(name) ?? '').trim()
  return {
    name: text('name'),
    expiresAt: form.has('expires_at') ? text('expires_at') : undefined,
    maxViews: text('max_views'),
    allowsDownload: form.has('allow_download'),
    maxUploads: text('max_uploads'),
    // Browsers send line breaks as two characters.
    message: text('message').replaceAll('\r\n', '\n'),
    asksName: form.has('asks_name'),
    isWithoutPassword: form.has('no_password'),
  }
}

const minuteOf = (time: Date | undefined) => time?.toISOString().slice(0, 16) ?? ''

export const fieldsOfShare = (share: Share): ShareFields => ({
  name: share.name,
  expiresAt: minuteOf(share.expiresAt),
  maxViews: String(share.maxViews ?? ''),
  allowsDownload: share.allowsDownload,
  maxUploads: String(share.maxUploads ?? ''),
  message: share.message,
  asksName: share.asksName,
  isWithoutPassword: false,
})

export const newFields = (end: Date | undefined, kind: ShareKind): ShareFields => ({
  name: '',
  expiresAt: minuteOf(end),
  maxViews: '',
  maxUploads: '',
  message: '',
  asksName: true,
  // What was sent is the owner's: others see it if the owner says so.
  allowsDownload: kind === 'share',
  isWithoutPassword: false,
})

/** The fields as the API takes them; a number that is none stays a text, which the API refuses. */
export function bodyOf(fields: ShareFields, password: string, kind: ShareKind): Record<string, unknown> {
  const number = (text: string) => (text === '' ? null : /^\d{1,15}$/.test(text) ? Number(text) : text)
  const { expiresAt } = fields
  const end =
    expiresAt !== undefined && /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(expiresAt)
      ? `${expiresAt}:00.000Z`
      : expiresAt
  return {
    name: fields.name,
    ...(end !== undefined && { expires_at: end === '' ? null : end }),
    ...(password !== '' ? { password } : fields.isWithoutPassword ? { password: null } : {}),
    allow_download: fields.allowsDownload,
    ...(kind === 'share'
      ? { max_views: number(fields.maxViews) }
      : {
          allow_upload: true,
          max_uploads: number(fields.maxUploads),
          message: fields.message,
          asks_name: fields.asksName,
        }),
  }
}

interface ShareOptions {
  fields: ShareFields
  faults: FormFaults
  kind: ShareKind
  hasPassword: boolean
}

const namesOf = {
  share: ['name', 'expires_at', 'max_views', 'password'],
  request: ['name', 'expires_at', 'max_uploads', 'password', 'message'],
}

/** What can be said of a share. The script sends each change of a share that is there. */
export function optionFields(reader: Reader, { fields, faults, kind, hasPassword }: ShareOptions): Html {
  const { words } = reader
  const others = textsBesides(faults, namesOf[kind])
  const numeric = { inputmode: 'numeric', autocomplete: 'off' }
  const end = textField({
    label: words.shareEnds,
    name: 'expires_at',
    id: 'share-expires_at',
    value: fields.expiresAt ?? '',
    hint: words.shareEndsHint,
    fault: faults.get('expires_at'),
    more: { type: 'datetime-local' },
  })
  const password = html`<div class="ask" data-password>${textField({ label: words.sharePassword, name: 'password', id: 'share-password', fault: faults.get('password'), ...(hasPassword && { hint: words.sharePasswordKeep }), more: { type: 'password', autocomplete: 'new-password' } })}
${hasPassword ? checkField({ label: words.sharePasswordNone, name: 'no_password', isOn: fields.isWithoutPassword }) : undefined}</div>`
  const limit =
    kind === 'share'
      ? textField({
          label: words.shareMaxViews,
          name: 'max_views',
          id: 'share-max_views',
          value: fields.maxViews,
          hint: words.shareMaxViewsHint,
          fault: faults.get('max_views'),
          more: numeric,
        })
      : textField({
          label: words.shareMaxUploads,
          name: 'max_uploads',
          id: 'share-max_uploads',
          value: fields.maxUploads,
          hint: words.shareMaxUploadsHint,
          fault: faults.get('max_uploads'),
          more: numeric,
        })
  const shows = checkField({
    label: kind === 'share' ? words.shareDownload : words.requestShows,
    name: 'allow_download',
    isOn: fields.allowsDownload,
  })
  const name = textField({
    label: words.shareName,
    name: 'name',
    id: 'share-name',
    value: fields.name,
    hint: words.shareNameHint,
    fault: faults.get('name'),
    more: { dir: 'auto', autocomplete: 'off' },
  })
  const asked =
    kind === 'share'
      ? undefined
      : html`${areaField({ label: words.requestMessage, name: 'message', id: 'share-message', value: fields.message, hint: words.requestMessageHint, fault: faults.get('message'), more: { dir: 'auto', rows: 3 } })}
${checkField({ label: words.requestAsksName, name: 'asks_name', isOn: fields.asksName })}`
  return html`${others.map((text) => banner(html`${text}`, 'danger'))}${asked}${end}${password}${limit}${shows}${name}`
}
