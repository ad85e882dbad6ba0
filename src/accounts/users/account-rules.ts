/** The rules for a new account. Each returns the fault, or undefined. */
export const usernameFault = (username: string): string | undefined =>
  new RegExp(usernameForm).test(username) ? undefined : usernameRule

export const usernameForm = '^[A-Za-z0-9_.-]{3,32}$'
export const usernameRule = 'must be 3 to 32 of A-Z a-z 0-9 _ . -'

/** For passwords that operators set: their programs have sent six characters from the beginning. */
export const passwordFault = (password: string): string | undefined => lengthFault(password, 6)

/** For passwords that people choose; `chosenPasswordFault` knows the other rules. */
export const chosenLengthFault = (password: string): string | undefined => lengthFault(password, 8)

function lengthFault(password: string, least: number): string | undefined {
  const length = [...password].length
  return length >= least && length <= 128
    ? undefined
    : `must be ${least} to 128 characters long, not ${length}`
}

const local = '[^\\s\\p{C}@"(),:;<>[\\\\\\]]{1,64}'
const label = '(?!-)[^\\s\\p{C}@"(),:;<>[\\\\\\].]{1,63}(?<!-)'

/** One @ with text before it and a host name behind it. Only a delivered mail proves more. */
export const emailForm = `^${local}@(?=.{1,189}$)${label}(?:\\.${label})*$`

const emailPattern = new RegExp(emailForm, 'u')

export const emailFault = (email: string): string | undefined =>
  email.length <= 254 && emailPattern.test(email) ? undefined : 'must be an e-mail address'
