import { type Static, Type } from 'typebox'
import { presetBounds, presetGroundForm, presetNameForm, presetWords } from '../../../common/preset-rules.ts'
import type { LooseBody } from '../../../http/endpoint.ts'
import { Closed, orNull, Text, Whole, Word } from '../../../http/fields.ts'
import { answerVersion, checkIfMatchOrNew, versionHeaders } from '../../../http/requests/conditions.ts'
import { broken, type Fault, faultOf } from '../../../lib/faults.ts'
import { invalidFields } from '../../../lib/refusal.ts'
import {
  listPresets,
  mostPresets,
  noSuchPreset,
  type Preset,
  type PresetOptions,
  presetOptionNames,
  putPreset,
  readPreset,
  removePreset,
  tooManyPresets,
} from '../../../media/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import type { ChangingEndpoint, MediaCall, MediaEndpoint } from '../media-endpoint.ts'
import {
  bodyRefusals,
  changeRefusals,
  noContent,
  notModified,
  refusedAs,
  scopedRefusals,
  versionRefusals,
} from '../responses.ts'
import { userOf } from '../rules/call-parts.ts'
import { unproven } from '../rules/proof.ts'

const nameOfForm = (description: string) =>
  Text({ least: 1, most: 32, description, pattern: presetNameForm, rule: broken('presetName') })

const Name = nameOfForm('1 to 32 of a-z 0-9 _ -, a letter or digit first')

const options = {
  width: orNull(Whole(1, presetBounds.width, 'Pixels'), '1 to 4096 pixels'),
  height: orNull(Whole(1, presetBounds.width, 'Pixels'), '1 to 4096 pixels'),
  fit: orNull(Word(presetWords.fit, 'A word'), 'How the picture fits into width and height'),
  format: orNull(Word(presetWords.format, 'A word'), 'The format'),
  quality: orNull(
    Whole(1, presetBounds.quality, 'Percent'),
    '1 to 100, rounded to the nearest 5; without effect in PNG',
  ),
  position: orNull(
    Word(presetWords.position, 'A word'),
    'The part that `cover` keeps, or the place on the ground of `pad`',
  ),
  background: orNull(
    Text({
      most: 11,
      description: 'A colour',
      pattern: presetGroundForm,
      rule: broken('ground', { given: 'another text' }),
    }),
    'Six hexadecimal digits or `transparent`',
  ),
  anim: orNull(Type.Boolean(), 'Whether all frames of an animation are kept, in WebP'),
}

export const PresetObject = Type.Object({ name: Name, ...options })

const PresetBody = Type.Object(
  {
    name: Type.Optional(nameOfForm('The name in the path, or omitted')),
    ...Object.fromEntries(presetOptionNames.map((name) => [name, Type.Optional(options[name])])),
  },
  { ...Closed, description: 'The options; at least one option must be set' },
)

const writePreset = ({ name, options: set }: Preset) => ({
  name,
  ...Object.fromEntries(presetOptionNames.map((option) => [option, set[option] ?? null])),
})

/** What is null is not set. */
const readOptions = (body: LooseBody): PresetOptions =>
  Object.fromEntries(
    presetOptionNames.flatMap((name) =>
      body[name] === undefined || body[name] === null ? [] : [[name, body[name]]],
    ),
  )

const emptyFault = (body: LooseBody): Fault[] =>
  Object.keys(readOptions(body)).length > 0 ? [] : [faultOf('', 'presetEmpty', { words: presetOptionNames })]

const ofName = Type.Object({
  name: Type.String({ pattern: presetNameForm, maxLength: 32, description: 'The name' }),
})

const unknownPreset = refusedAs('There is no such preset.', noSuchPreset('card'))

export const getPresets: MediaEndpoint = {
  tag: 'Presets',
  summary: 'List the presets of the site',
  description: 'All of them, by name.',
  access: 'read',
  responses: {
    200: {
      description: 'Every preset.',
      schema: Type.Object({
        data: Type.Array(PresetObject, { description: 'The presets' }),
        next_cursor: Type.Null({ description: 'There is no further page' }),
      }),
    },
    ...scopedRefusals,
  },
  handle: async ({ site }) => ({
    status: 200,
    body: { data: (await listPresets(site)).map(writePreset), next_cursor: null },
  }),
}

export const getPreset: MediaEndpoint = {
  tag: 'Presets',
  summary: 'Read a preset',
  access: 'read',
  requestHeaders: ['IfNoneMatch'],
  params: ofName,
  responses: {
    200: { description: 'The preset.', schema: PresetObject, headers: { ETag: 'The version' } },
    304: notModified,
    ...scopedRefusals,
    404: unknownPreset,
  },
  handle: async (call) => {
    const preset = await readPreset(call.site, nameOf(call))
    return answerVersion(call, preset.version, writePreset(preset))
  },
}

export const putNamedPreset: ChangingEndpoint = {
  tag: 'Presets',
  summary: 'Write a preset',
  description:
    'Creates it, or replaces all of its options: what is omitted or null is not set. ' +
    'Pictures by the preset change at once; caches may keep an older one for an hour.',
  access: 'change-settings',
  proof: 'needed',
  requestHeaders: ['IfMatch'],
  params: ofName,
  body: PresetBody,
  bodyExample: { width: 400, height: 300, fit: 'cover', format: 'auto' },
  bodyFaults: emptyFault,
  responses: {
    200: { description: 'The preset, changed.', schema: PresetObject, headers: { ETag: 'The version' } },
    201: { description: 'The preset, created.', schema: PresetObject, headers: { ETag: 'The version' } },
    ...bodyRefusals,
    ...versionRefusals,
    403: refusedAs(
      'The site has all presets that it may have, the scope is missing, or the session has no proof of the last ten minutes.',
      tooManyPresets(mostPresets),
    ),
  },
  handle: async (call) => {
    const name = nameOf(call)
    const body = call.body as Static<typeof PresetBody> & LooseBody
    if (body.name !== undefined && body.name !== name) throw invalidFields([faultOf('name', 'nameOfPath')])
    const checkVersion = (version: number | undefined) => checkIfMatchOrNew(call.request.headers, version)
    const { preset, isNew } = await changeSite(call.app.control, call.site, (site) =>
      putPreset(site, userOf(call), { name, options: readOptions(body), checkVersion }),
    )
    return { status: isNew ? 201 : 200, body: writePreset(preset), headers: versionHeaders(preset.version) }
  },
}

export const deleteNamedPreset: ChangingEndpoint = {
  tag: 'Presets',
  summary: 'Delete a preset',
  description: 'Addresses with its name are refused from then on.',
  access: 'change-settings',
  proof: 'needed',
  requestHeaders: ['IfMatch'],
  params: ofName,
  responses: { 204: noContent, ...changeRefusals, ...versionRefusals, 403: unproven, 404: unknownPreset },
  handle: async (call) => {
    const name = nameOf(call)
    const checkVersion = (version: number | undefined) => checkIfMatchOrNew(call.request.headers, version)
    await changeSite(call.app.control, call.site, (site) =>
      removePreset(site, userOf(call), { name, checkVersion }),
    )
    return { status: 204 }
  },
}

const nameOf = ({ params: { name = '' } }: MediaCall): string => name
