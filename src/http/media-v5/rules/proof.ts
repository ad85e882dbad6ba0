import { proofNeeded } from '../../../accounts/index.ts'
import type { MediaCall } from '../media-endpoint.ts'
import { refusedAs } from '../responses.ts'
import { userOf } from './call-parts.ts'

/** Refuses a session without a proof of the last ten minutes, as pages do: else its cookie would be as good as the password. */
export function checkProof(call: MediaCall): void {
  const { sessionId, isProven } = userOf(call)
  if (sessionId !== undefined && !isProven) throw proofNeeded()
}

export const unproven = refusedAs(
  'The scope of the key or session does not allow this call, or the session has no proof of the last ten minutes.',
  proofNeeded(),
)
