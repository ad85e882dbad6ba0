export { type Deriving, derivePicture, forgetDerived, type MadePicture } from './derive-picture.ts'
export { type DerivedRow, findDerived, findDerivedSync, keyOfDerived } from './derived-table.ts'
export { recordUses } from './kept-pictures.ts'
export { nearestVersion } from './nearest-version.ts'
export { type OfferedWidth, offeredWidths } from './offered-widths.ts'
export { type Original, originalOf, type Plan, planTransform } from './plan-transform.ts'
export { presetOptionNames, presetSize, resolvePreset } from './preset-options.ts'
export {
  isSoundPreset,
  listPresets,
  mostPresets,
  presetFaults,
  putPreset,
  readPreset,
  removePreset,
} from './presets.ts'
export { findPresetOptionsSync, type Preset, type PresetOptions } from './presets-table.ts'
export { type AskedTransform, type ReadTransform, readTransform } from './read-transform.ts'
