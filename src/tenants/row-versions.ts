/** The time of the last change is the version of a tenant's or plan's row, so it has to rise with each of them. */
interface Versioned {
  updatedAt: string
}

export interface VersionedEdit {
  /** The version that the editor has seen: the edit is refused if it is not the one that is stored. */
  ifUpdatedAt?: Date | undefined
}

export const isVersion = ({ updatedAt }: Versioned, expected: Date | undefined): boolean =>
  expected === undefined || Date.parse(updatedAt) === expected.getTime()

/** Now, or a millisecond after the last version: two changes in one, and a clock that was set back, have different versions. */
export const nextVersion = (now: Date, ...rows: readonly Versioned[]): string =>
  new Date(
    rows.reduce((latest, { updatedAt }) => Math.max(latest, Date.parse(updatedAt) + 1), now.getTime()),
  ).toISOString()
