import { type BrokenRule, broken } from '../../lib/faults.ts'

/** The rules for a new account. Each returns the one that is broken, or undefined. */
export const usernameFault = (username: string): BrokenRule | undefined =>
  new RegExp(usernameForm).test(username) ? undefined : broken('username')

export const usernameForm = '^[A-Za-z0-9_.-]{3,32}$'

/** For passwords that operators set: their programs have sent six characters from the beginning. */
export const passwordFault = (password: string): BrokenRule | undefined => lengthFault(password, 6)

/** For passwords that people choose; `chosenPasswordFault` knows the other rules. */
export const chosenLengthFault = (password: string): BrokenRule | undefined => lengthFault(password, 8)

function lengthFault(password: string, least: number): BrokenRule | undefined {
  const length = [...password].length
  return length >= least && length <= 128 ? undefined : broken('length', { least, most: 128, length })
}

const local = '[^\\s\\p{C}@"(),:;<>[\\\\\\]]{1,64}'
const label = '(?!-)[^\\s\\p{C}@"(),:;<>[\\\\\\].]{1,63}(?<!-)'

/** One @ with text before it and a hostname behind it. Only a delivered mail proves more. */
export const emailForm = `^${local}@(?=.{1,189}$)${label}(?:\\.${label})*$`

const emailPattern = new RegExp(emailForm, 'u')

export const emailFault = (email: string): BrokenRule | undefined =>
  email.length <= 254 && emailPattern.test(email) ? undefined : broken('email')
