import { isPresetName, presetBounds, presetGroundForm, presetWords } from '../common/preset-rules.ts'
import { type Command, command } from './command.ts'
import { option, required, text } from './terminal/option.ts'
import { oneOf, tenant, wholeFrom, zeroOrOne } from './terminal/option-kinds.ts'

const presets = () => import('./commands/site/preset-commands.ts')

const newName = required(
  option('NAME', "the preset's name, 1 to 32 of a-z 0-9 _ -, a letter or digit first", (value) => {
    if (!isPresetName(value))
      throw new Error(`must be 1 to 32 of a-z 0-9 _ -, a letter or digit first, not "${value}"`)
    return value
  }),
)

const ground = option('COLOUR', 'the ground: six hexadecimal digits, or transparent', (value) => {
  if (!new RegExp(presetGroundForm).test(value))
    throw new Error(`must be six hexadecimal digits or transparent, not "${value}"`)
  return value
})

/** The commands for the named sizes and formats of pictures. */
export const sitePresetCommands: readonly Command[] = [
  command({
    name: 'site preset:list',
    summary: 'List the presets of the site',
    options: { tenant },
    example: 'terrace site --tenant cats preset:list',
    run: async (session, values) => (await presets()).listSitePresets(session, values),
  }),
  command({
    name: 'site preset:set',
    summary: 'Create a preset, or replace all of its options',
    options: {
      tenant,
      width: wholeFrom(1, presetBounds.width, 'pixels'),
      height: wholeFrom(1, presetBounds.height, 'pixels'),
      fit: oneOf(presetWords.fit, 'how the picture fits into width and height'),
      format: oneOf(presetWords.format, 'the format'),
      quality: wholeFrom(1, presetBounds.quality, 'quality, rounded to the nearest 5'),
      position: oneOf(presetWords.position, 'the part that cover keeps, or the place on the ground of pad'),
      background: ground,
      anim: zeroOrOne('1 to keep all frames of an animation, in WebP'),
    },
    positionals: { name: newName },
    example: 'terrace site --tenant cats preset:set card --width 400 --height 300 --fit cover',
    run: async (session, values) => (await presets()).setSitePreset(session, values),
  }),
  command({
    name: 'site preset:delete',
    summary: 'Delete a preset; addresses with its name are refused from then on',
    options: { tenant },
    positionals: { name: required(text('NAME', "the preset's name")) },
    example: 'terrace site --tenant cats preset:delete card',
    run: async (session, values) => (await presets()).deleteSitePreset(session, values),
  }),
]
