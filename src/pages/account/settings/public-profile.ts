import { editAbout, mostAboutLength, type Profile, setProfilePicture } from '../../../accounts/index.ts'
import { disconnectSignal } from '../../../http/connection/running-work.ts'
import { spoolFolderOf } from '../../../http/uploads/source/spool.ts'
import { type Html, html } from '../../../lib/html.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { drawProfilePicture, emptySource, mostBrandBytes } from '../../../media/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { checkFormToken, tokenField } from '../../../ui/form.ts'
import { areaField, submitButton, textField } from '../../../ui/parts/controls.ts'
import { avatar } from '../../../ui/parts/lists.ts'
import { refusalText } from '../../../ui/refusal-words.ts'
import { orRefusal } from '../../../ui/refused.ts'
import { writeSize } from '../../../words/format.ts'
import { type PageCall, userOf } from '../../page-call.ts'
import { type PlainForm, readPlainForm } from '../../read-plain-form.ts'

/** What was refused, and what was typed. */
export interface RefusedProfile {
  refusal: Refusal
  about?: string
}

/** Saves what the caller says of himself. */
export async function saveAbout(call: PageCall): Promise<RefusedProfile | undefined> {
  const about = (call.form.get('about') ?? '').replaceAll('\r\n', '\n').trim()
  const saved = await orRefusal(
    changeSite(call.app.control, call.site, (changing) => editAbout(changing, userOf(call), about)),
  )
  return saved instanceof Refusal ? { refusal: saved, about } : undefined
}

/** Sets or removes the picture of the caller. */
export async function savePicture(call: PageCall): Promise<RefusedProfile | undefined> {
  const reading = { spoolFolder: spoolFolderOf(call.app), maxBytes: mostBrandBytes }
  const read = await orRefusal(readPlainForm(call.request.raw, reading))
  if (read instanceof Refusal) return { refusal: read }
  await using form = read
  checkFormToken(call.reader, form.fields.get('csrf') ?? '')
  const changed = await orRefusal(changePicture(call, form))
  return changed instanceof Refusal ? { refusal: changed } : undefined
}

async function changePicture(call: PageCall, { fields, files }: PlainForm): Promise<void> {
  const { app, site, reply } = call
  const [file, ...others] = files
  const isRemoved = fields.get('action') === 'remove'
  if (!isRemoved && (!file || others.length > 0)) throw emptySource()
  if (!isRemoved && file && 'refused' in file) throw file.refused
  await changeSite(app.control, site, async (changing) => {
    const drawn =
      isRemoved || !file || 'refused' in file
        ? undefined
        : await drawProfilePicture(changing, file.spooled, disconnectSignal(reply))
    await setProfilePicture(changing, userOf(call), drawn)
  })
}

/** The two forms: a text and a picture. */
export function publicProfileForms(call: PageCall, profile: Profile, refused?: RefusedProfile): Html {
  const { reader } = call
  const { words, language } = reader
  const { username = '', picture } = reader.account?.user ?? {}
  const fault = refused && refusalText(reader, refused.refusal)
  const [aboutFault, pictureFault] = refused?.about === undefined ? [undefined, fault] : [fault, undefined]
  return html`<form method="post" action="/settings/picture" enctype="multipart/form-data" class="stack">${tokenField(reader)}
<div class="person">${avatar(username, picture)}
${textField({
  label: words.profilePicture,
  name: 'source',
  id: 'profile-picture',
  fault: refused?.refusal.code === 'empty-source' ? words.brandPictureMissing : pictureFault,
  hint: words.brandPictureLimit(writeSize(language, mostBrandBytes)),
  more: { type: 'file', accept: 'image/png,image/jpeg,image/webp,image/gif,image/avif' },
})}</div>
<p class="actions">${submitButton(words.brandPictureSave, { look: 'plain', icon: 'upload', more: { name: 'action', value: 'save' } })}${picture === undefined ? undefined : submitButton(words.brandPictureRemove, { look: 'quiet', icon: 'delete', more: { name: 'action', value: 'remove' } })}</p>
</form>
<form method="post" action="/settings/about" class="stack">${tokenField(reader)}
${areaField({
  label: words.profileAbout,
  name: 'about',
  value: refused?.about ?? profile.about,
  fault: aboutFault,
  hint: words.profileAboutHint,
  more: { rows: 3, maxlength: mostAboutLength, dir: 'auto', autofocus: aboutFault !== undefined },
})}
<p>${submitButton(words.saveAbout, { look: 'plain' })}</p>
</form>`
}
