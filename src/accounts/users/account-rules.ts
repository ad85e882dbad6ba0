/** The rules for a new account. Each returns the fault, or undefined. */
export const usernameFault = (username: string): string | undefined =>
  /^[A-Za-z0-9_.-]{3,32}$/.test(username) ? undefined : 'must be 3 to 32 of A-Z a-z 0-9 _ . -'

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

/** One @ with text before it and a host name behind it. Only a delivered mail proves more. */
export const emailFault = (email: string): string | undefined =>
  email.length <= 254 &&
  /^[^\s\p{C}@"(),:;<>[\\\]]{1,64}@[^\s\p{C}@"(),:;<>[\\\]]{1,189}$/u.test(email) &&
  hasHost(email)
    ? undefined
    : 'must be an e-mail address'

function hasHost(email: string): boolean {
  const labels = email.slice(email.indexOf('@') + 1).split('.')
  return labels.every(
    (label) => label.length > 0 && label.length <= 63 && !label.startsWith('-') && !label.endsWith('-'),
  )
}
