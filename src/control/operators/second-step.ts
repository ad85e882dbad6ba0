import { isCodeTaken } from '../../accounts/index.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { Control } from '../control.ts'
import { findOperator, updateTotpStep } from './operators-table.ts'
import { deleteRecoveryCode } from './recovery-codes-table.ts'

/** What the sealed secret of a second step is bound to. */
export const totpOwner = (operatorId: string): string => `second step of operator ${operatorId}`

/** Whether a code of the operator's second step, or a recovery code, is right. Each is taken once. */
export function isOperatorCodeTaken(control: Control, operatorId: string, code: string): Promise<boolean> {
  const db = control.store.control
  const rows = {
    deleteRecoveryCode: (codeHash: string) => deleteRecoveryCode(db, operatorId, codeHash),
    async findSecret() {
      const operator = await findOperator(db, { id: operatorId })
      return operator?.sealedTotp === undefined
        ? undefined
        : readableSecret(control, operatorId, operator.sealedTotp)
    },
    updateLastStep: (step: number, latest: number) => updateTotpStep(db, operatorId, { step, latest }),
  }
  return isCodeTaken(rows, code, control.clock.now())
}

/** Undefined if no key of the installation opens it: recovery codes and passkeys still work. */
function readableSecret({ keyRing }: Control, operatorId: string, sealed: string): string | undefined {
  try {
    return keyRing.unseal(sealed, totpOwner(operatorId))
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}
