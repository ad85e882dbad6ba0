import { randomSecret } from '../../lib/ids.ts'

/** Argon2id with 7 MiB and five passes, as strong as more memory and fewer; two lanes halve the wait, not the work. */
const cost = { memoryCost: 7_168, timeCost: 5, parallelism: 2 }

/** Loaded for the first password. */
const argon2 = () => import('@node-rs/argon2')

export const hashPassword = async (password: string): Promise<string> => (await argon2()).hash(password, cost)

export const isPassword = async (password: string, passwordHash: string): Promise<boolean> =>
  (await argon2()).verify(passwordHash, password)

/**
 * Takes the same time for an unknown account, and for one that has no password (an empty hash): what was given is then
 * compared with the hash of another one.
 */
export async function isPasswordOf(passwordHash: string | undefined, password: string): Promise<boolean> {
  const isRight = await isPassword(password, passwordHash || dummyHash)
  return isRight && Boolean(passwordHash)
}

/** Of a random password that was thrown away, with the cost of `hashPassword`. */
const dummyHash =
  '$argon2id$v=19$m=7168,t=5,p=2$JUA0BwY59MKPB9BOiBQb4A$J2A5M5E0QIe7bcjSPx8tiyV0YuEkw9RZy6LMDinM+oE'

export const randomPassword = (): string => randomSecret(16)
