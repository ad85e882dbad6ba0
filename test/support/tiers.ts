import { globSync, readFileSync } from 'node:fs'

/**
 * Which tests a run has: `quick` is `npm test`, what a contributor needs; `faults` the crashes, power cuts and outages;
 * `all` everything on both stores; `rest` what `quick` leaves out of that, which CI runs after it.
 */
export type Tier = 'quick' | 'faults' | 'all' | 'rest'

const quickFolders = ['unit', 'api', 'cli', 'pages', 'stores']

/** Vitest's mode names the tier. Tests that are named one by one run in full. */
export function tierOf(mode: string, words: readonly string[]): Tier {
  if (mode === 'faults' || mode === 'all' || mode === 'rest') return mode
  return words.some((word) => word.startsWith('test/')) ? 'all' : 'quick'
}

/** Files named `*.full.test.ts` are not in `npm test`: matrices of codecs, real proxies and buckets, several servers. */
export function filesOfTier(tier: Tier): string[] {
  const subjects = quickFolders.flatMap((folder) => globSync(`test/${folder}/**/*.test.ts`))
  const faults = globSync('test/faults/**/*.test.ts')
  if (tier === 'quick') return subjects.filter((path) => !isFullOnly(path))
  if (tier === 'faults') return faults
  if (tier === 'all') return [...subjects, ...faults]
  return [...faults, ...subjects.filter((path) => isFullOnly(path) || isReducedInQuick(path))]
}

const isFullOnly = (path: string) => path.endsWith('.full.test.ts')

/** What a test file calls to do less in `npm test` than in full. */
const reducers = /\b(onEachStore|fewInQuick|someInQuick|runsOf)\(/

const isReducedInQuick = (path: string) => reducers.test(readFileSync(path, 'utf8'))

const isQuick = () => (process.env.TEST_TIER as Tier | undefined) === 'quick'

/** The first few cases in `npm test`, all of them otherwise: for cases that take the same way through the code. */
export const fewInQuick = <T>(cases: readonly T[], count: number): readonly T[] =>
  isQuick() ? cases.slice(0, count) : cases

/** Cases from all over the list in `npm test`, all of them otherwise. */
export const someInQuick = <T>(cases: readonly T[], count: number): readonly T[] => {
  const step = Math.ceil(cases.length / count)
  return isQuick() ? cases.filter((_, index) => index % step === 0) : cases
}

/** How often a property is tried: a tenth of it in `npm test`, or as often as told. */
export const runsOf = (full: number, quick = Math.ceil(full / 10)): number => (isQuick() ? quick : full)
