import { latestTime } from '../../../lib/clock.ts'
import { openSealedText } from '../../../lib/sealed-text.ts'
import type { ChangingSite, Site } from '../../../site/index.ts'
import { countTry, triesOfCodes } from '../../sessions/check-password.ts'
import { wrongCode } from '../errors.ts'
import { totpOwner } from '../totp.ts'
import { findTotp, updateLastStep } from '../totp-table.ts'
import { hashOfTypedCode } from './recovery-codes.ts'
import { deleteRecoveryCode } from './recovery-codes-table.ts'
import { stepAt, stepOfCode } from './totp-code.ts'

export const hasTotp = async (site: Site, userId: string): Promise<boolean> =>
  (await findTotp(site.db, userId)) !== undefined

interface GivenCode {
  userId: string
  /** Six digits of the authenticator, or a recovery code. */
  code: string
  /** Opens the sealed secret. */
  key: Uint8Array
}

export type CodeKind = 'totp' | 'recovery-code'

/** Takes a code of the second step, each once. Wrong ones are counted for the account, whatever the network. */
export async function takeCode(site: ChangingSite, given: GivenCode): Promise<CodeKind> {
  const { userId } = given
  const isRight = await countTry(site, userId, triesOfCodes(userId), () => isCodeTaken(site, given))
  if (!isRight) throw wrongCode()
  return hashOfTypedCode(given.code) === undefined ? 'totp' : 'recovery-code'
}

async function isCodeTaken(site: ChangingSite, { userId, code, key }: GivenCode): Promise<boolean> {
  const codeHash = hashOfTypedCode(code)
  if (codeHash !== undefined) return deleteRecoveryCode(site.db, userId, codeHash)
  const totp = await findTotp(site.db, userId)
  // Undefined if the secret of the installation was changed since: recovery codes still work.
  const secret = totp && openSealedText(key, totp.sealedSecret, totpOwner(userId))
  const now = site.clock.now()
  const step = secret === undefined ? undefined : stepOfCode(secret, code, now)
  return step !== undefined && updateLastStep(site.db, userId, { step, latest: stepAt(latestTime(now)) })
}
