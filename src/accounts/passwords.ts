import { hash, verify } from '@node-rs/argon2'
import { randomSecret } from '../lib/ids.ts'

/** Argon2id with 7 MiB and five passes, as strong as more memory and fewer; two lanes halve the wait, not the work. */
const cost = { memoryCost: 7_168, timeCost: 5, parallelism: 2 }

export const hashPassword = (password: string): Promise<string> => hash(password, cost)

export const isPassword = (password: string, passwordHash: string): Promise<boolean> =>
  verify(passwordHash, password)

export const randomPassword = (): string => randomSecret(16)
