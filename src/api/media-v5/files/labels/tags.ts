import { type Static, Type } from 'typebox'
import type { LooseBody } from '../../../../http/endpoint.ts'
import { Closed } from '../../../../http/fields.ts'
import { noProof } from '../../../../http/requests/proof-rule.ts'
import { searchRate } from '../../../../http/requests/rates.ts'
import { TagText } from '../../../../http/wire/file-edits.ts'
import { answerPage, PageOf, pageParameters } from '../../../../http/wire/pages.ts'
import { textParameter } from '../../../../http/wire/query.ts'
import { type Fault, faultsIf } from '../../../../lib/faults.ts'
import {
  type CountedTag,
  listTags,
  longestTag,
  removeTag,
  renameTag,
  type TagPosition,
  tagFault,
  tagNameOf,
  tagNotFound,
} from '../../../../media/index.ts'
import type { ChangingSite } from '../../../../site/index.ts'
import { changeSite } from '../../../../tenants/index.ts'
import type { ChangingEndpoint, MediaCall, MediaEndpoint } from '../../media-endpoint.ts'
import { bodyRefusals, changeRefusals, noContent, refusedAs, scopedRefusals } from '../../responses.ts'
import { userOf } from '../../rules/call-parts.ts'
import { fileCount } from './categories.ts'

export const TagObject = Type.Object({
  name: Type.String({ description: 'The tag' }),
  file_count: fileCount,
})

const writeTag = ({ name, files }: CountedTag) => ({ name, file_count: files })

const TagEditBody = Type.Object(
  { name: TagText(`The new name, 1 to ${longestTag} characters without commas and control characters`) },
  Closed,
)

function tagEditFaults({ name }: LooseBody): Fault[] {
  return faultsIf('name', typeof name === 'string' ? tagFault(name) : undefined)
}

const readTagName = (body: unknown): string => tagNameOf((body as Static<typeof TagEditBody>).name)

const unknownTag = refusedAs('There is no such tag.', tagNotFound('kitten'))
const ofName = Type.Object({ name: TagText('The tag') })

const mostCharacters = 200

export const getTags: MediaEndpoint = {
  tag: 'Tags',
  summary: 'List tags',
  description:
    'In alphabetical order, ignoring case and accents. Tags of files that the caller can list; ' +
    'administrators and managers see all.',
  access: 'visitor-read',
  rate: searchRate,
  query: Type.Object({
    ...pageParameters,
    q: textParameter('The beginning of the tag, ignoring case and accents', mostCharacters),
  }),
  responses: { 200: { description: 'A page of tags.', schema: PageOf(TagObject) }, ...scopedRefusals },
  handle: (call) => {
    const { q } = call.query as { q?: string }
    return answerPage<CountedTag, TagPosition>(call, {
      list: 'tags',
      sort: 'name',
      filter: { q },
      read: (page) => listTags(call.site, call.caller, { beginning: q, ...page }),
      positionOf: ({ name, form }) => ({ name, form }),
      write: writeTag,
    })
  },
}

export const patchTag: ChangingEndpoint = {
  tag: 'Tags',
  summary: 'Rename a tag',
  description:
    'All its files get the new name and a higher version. If a tag with that name exists, the two are merged.',
  access: 'manage-tags',
  proof: noProof.moderation,
  params: ofName,
  body: TagEditBody,
  bodyExample: { name: 'cat' },
  bodyFaults: tagEditFaults,
  responses: { 200: { description: 'The tag.', schema: TagObject }, ...bodyRefusals, 404: unknownTag },
  handle: async (call) => {
    const change = { name: nameOf(call), to: readTagName(call.body) }
    const rename = (site: ChangingSite) => renameTag(site, userOf(call), change)
    const tag = await changeSite(call.app.control, call.site, rename)
    return { status: 200, body: writeTag(tag) }
  },
}

export const deleteTag: ChangingEndpoint = {
  tag: 'Tags',
  summary: 'Delete a tag',
  description: 'Its files are kept.',
  access: 'manage-tags',
  proof: noProof.moderation,
  params: ofName,
  responses: { 204: noContent, ...changeRefusals, 404: unknownTag },
  handle: async (call) => {
    const name = nameOf(call)
    const remove = (site: ChangingSite) => removeTag(site, userOf(call), name)
    await changeSite(call.app.control, call.site, remove)
    return { status: 204 }
  },
}

/** PostgreSQL refuses a NUL in a text, and no tag has one. */
function nameOf({ params }: MediaCall): string {
  const name = tagNameOf(params.name ?? '')
  if (name.includes('\0')) throw tagNotFound(name.replaceAll('\0', ''))
  return name
}
