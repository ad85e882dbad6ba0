interface SkipReason {
  need: string
  why: string
}

/** Part of the name of a skipped test, so that every report shows it. */
export const writeNeed = ({ need, why }: SkipReason): string => `[needs ${need}: ${why.replaceAll(']', ')')}]`

/** Undefined for a test that was skipped without a word. */
export function readNeed(fullName: string): SkipReason | undefined {
  const [, need, why] = /\[needs ([^:\]]+): ([^\]]*)\]/.exec(fullName) ?? []
  return need === undefined ? undefined : { need, why: why ?? '' }
}
