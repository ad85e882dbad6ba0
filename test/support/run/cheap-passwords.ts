import type { Plugin } from 'vitest/config'

const cost = 'memoryCost: 7_168, timeCost: 5'

/**
 * Lets an app inside a test hash passwords at a lower cost: every site of a test has an administrator, and the hash of the
 * password took half of the CPU of its installation. Programs that tests start keep the full cost.
 */
export const cheapPasswords: Plugin = {
  name: 'cheap-passwords',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('/src/accounts/users/passwords.ts')) return undefined
    if (!code.includes(cost)) throw new Error(`${id} does not name the cost "${cost}".`)
    return code.replace(cost, 'memoryCost: 64, timeCost: 1')
  },
}
