import { type TProperties, Type } from 'typebox'
import { quotaReached } from '../../../accounts/index.ts'
import type { DescribedResponse } from '../../../http/endpoint.ts'
import { Id, largestRowNumber, Text, Whole, Word } from '../../../http/fields.ts'
import { fileTooBig } from '../../../http/uploads/reading/form-errors.ts'
import { uploadRefusal } from '../../../http/uploads/sent-file.ts'
import { Refusal } from '../../../lib/refusal.ts'
import {
  type collectedParameters,
  emptySource,
  expirations,
  longestFileText,
  longestTag,
  mostTagsGiven,
  widestUpload,
} from '../../../media/index.ts'
import { onceRefusals, refusedAs } from '../responses.ts'

const FileText = (field: keyof typeof longestFileText, description: string) =>
  Type.Optional(
    Text({
      least: 1,
      most: longestFileText[field],
      description: `1 to ${longestFileText[field]} characters${description}`,
    }),
  )

/** What a visitor may say of a file. */
const textFields = {
  title: FileText('title', '; by default from the file or its name'),
  description: FileText('description', ''),
}

export const visitorFields = {
  ...textFields,
  contributor: FileText('contributor', '; the name of the sender, for the owner of the album'),
} satisfies Record<(typeof collectedParameters)[number], unknown>

/** The parameters of an upload, which `readUploadRequest` checks in a form. */
export const uploadFields = {
  ...textFields,
  tags: Type.Optional(
    Text({
      least: 1,
      most: mostTagsGiven * (longestTag + 2),
      description: `At most ${mostTagsGiven} tags of at most ${longestTag} characters, separated by commas`,
    }),
  ),
  album_id: Type.Optional(Id('An album of the user')),
  category_id: Type.Optional(Whole(0, largestRowNumber, 'A category of the site')),
  width: Type.Optional(Whole(1, widestUpload, 'Resizes the picture to this width, in pixels')),
  expiration: Type.Optional(Word(expirations, 'Deletes the file after this time')),
  nsfw: Type.Optional(Word(['0', '1'], '`1`: sensitive content, covered on pages')),
  use_file_date: Type.Optional(Word(['0', '1'], '`1`: the date is that of the picture; for administrators')),
}

export const FileName = Type.Optional(
  Text({
    least: 1,
    most: 1_024,
    description: 'The name of a file that is sent as the body; `upload` by default',
  }),
)

/** A file that is sent as the body itself, or in a form with the parameters. */
export const fileForms = (fields: TProperties) => ({
  'multipart/form-data': Type.Object({
    source: Type.String({ format: 'binary', description: 'The file' }),
    ...fields,
  }),
  'application/octet-stream': Type.String({
    format: 'binary',
    description: 'The file itself, of any content type',
  }),
})

const refusedFile = (description: string, refusal: Refusal) =>
  refusedAs(description, uploadRefusal(refusal) as Refusal)

/** Refusals of every call that takes a file. */
export const fileRefusals: Readonly<Record<number, DescribedResponse>> = {
  ...onceRefusals,
  400: refusedFile('A parameter or the file is refused; `error.code` says which.', emptySource()),
  403: refusedAs(
    'This caller may not upload, or a limit of the site is reached.',
    quotaReached('SERVICE_MAX_STORAGE', 1_000_000_000),
  ),
  413: refusedFile('The file is too big.', fileTooBig(10_000_000)),
  429: refusedFile(
    'Too many uploads from one address, or too many requests.',
    new Refusal('too-many', 'flood', 'Flooding detected. You can only upload 50 files per minute'),
  ),
  507: refusedAs(
    'The disk is full.',
    new Refusal('unavailable', 'disk-full', 'There is no space left to store this.'),
  ),
}
