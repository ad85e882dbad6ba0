import { proofNeeded } from '../../../accounts/index.ts'
import type { ChangingEndpoint, MediaCall, MediaEndpoint } from '../media-endpoint.ts'
import { refusedAs } from '../responses.ts'

/** Refuses a session without a proof of the last ten minutes where the endpoint needs one. Keys need none. */
export async function checkProof(
  { proof }: MediaEndpoint & Partial<ChangingEndpoint>,
  call: MediaCall,
): Promise<void> {
  const { caller } = call
  if (caller.kind === 'guest' || caller.sessionId === undefined || caller.isProven) return
  const isNeeded = typeof proof === 'function' ? await proof(call) : proof === 'needed'
  if (isNeeded) throw proofNeeded()
}

export const unproven = refusedAs(
  'The scope of the key or session does not allow this call, or the session has no proof of the last ten minutes.',
  proofNeeded(),
)
