import type { Plan } from '../../tenants/index.ts'
import type { Words } from '../../words/en.ts'

/** No plan first, then every plan. */
export const planOptions = (
  words: Words,
  plans: readonly Plan[],
): readonly (readonly [value: string, text: string])[] => [
  ['', words.tenantNoPlan],
  ...plans.map(({ id }) => [id, id] as const),
]
