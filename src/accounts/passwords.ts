import { hash, verify } from '@node-rs/argon2'
import { randomSecret } from '../lib/ids.ts'

/** Argon2id with 19 MiB and two passes; two lanes halve the wait and not the work. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 2 }

export const hashPassword = (password: string): Promise<string> => hash(password, cost)

export const isPassword = (password: string, passwordHash: string): Promise<boolean> =>
  verify(passwordHash, password)

export const randomPassword = (): string => randomSecret(16)
