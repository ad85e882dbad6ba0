import { randomSecret } from '../../lib/ids.ts'

/** Argon2id with 7 MiB and five passes, as strong as more memory and fewer; two lanes halve the wait, not the work. */
const cost = { memoryCost: 7_168, timeCost: 5, parallelism: 2 }

/** Loaded for the first password. */
const argon2 = () => import('@node-rs/argon2')

export const hashPassword = async (password: string): Promise<string> => (await argon2()).hash(password, cost)

export const isPassword = async (password: string, passwordHash: string): Promise<boolean> =>
  (await argon2()).verify(passwordHash, password)

export const randomPassword = (): string => randomSecret(16)
