import { prepare, type SiteDb, type SiteTables } from '../../db/index.ts'

/** What a preset stands for: options in the names and words of an address. */
export interface PresetOptions {
  readonly width?: number
  readonly height?: number
  readonly fit?: string
  readonly format?: string
  readonly quality?: number
  readonly position?: string
  readonly background?: string
  readonly anim?: boolean
}

/** A named set of options, which everybody may ask for. */
export interface Preset {
  name: string
  options: PresetOptions
  createdAt: Date
  updatedAt: Date
  version: number
}

const everyPreset = prepare((db) => db.selectFrom('preset').selectAll().orderBy('name'))

/** By name. */
export async function allPresets(db: SiteDb): Promise<Preset[]> {
  return (await everyPreset.rows(db, {})).map(presetOfRow)
}

const byName = prepare((db, { name }: Record<'name', never>) =>
  db.selectFrom('preset').selectAll().where('name', '=', name),
)

export async function findPreset(db: SiteDb, name: string): Promise<Preset | undefined> {
  const [row] = await byName.rows(db, { name })
  return row && presetOfRow(row)
}

/** Synchronous variant: the stored options; undefined if the row cannot be read without waiting, or is not there. */
export const findPresetOptionsSync = (db: SiteDb, name: string): string | undefined =>
  byName.rowsSync(db, { name })?.[0]?.options

export async function countPresets(db: SiteDb): Promise<number> {
  const { count } = await db
    .selectFrom('preset')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

export async function insertPreset(db: SiteDb, preset: Preset): Promise<void> {
  await db.insertInto('preset').values(rowOfPreset(preset)).execute()
}

export async function updatePreset(db: SiteDb, preset: Preset): Promise<void> {
  const { name, ...change } = rowOfPreset(preset)
  await db.updateTable('preset').set(change).where('name', '=', name).execute()
}

export async function deletePreset(db: SiteDb, name: string): Promise<void> {
  await db.deleteFrom('preset').where('name', '=', name).execute()
}

const rowOfPreset = ({ name, options, createdAt, updatedAt, version }: Preset): SiteTables['preset'] => ({
  name,
  options: JSON.stringify(options),
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
  version,
})

const presetOfRow = ({ options, createdAt, updatedAt, ...row }: SiteTables['preset']): Preset => ({
  ...row,
  options: JSON.parse(options) as PresetOptions,
  createdAt: new Date(createdAt),
  updatedAt: new Date(updatedAt),
})
