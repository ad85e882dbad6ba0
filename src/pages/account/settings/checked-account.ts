import { accountFaults } from '../../../accounts/index.ts'
import { Refusal } from '../../../lib/refusal.ts'

const invalid = (list: readonly string[]) =>
  new Refusal('invalid', 'invalid-account', list.join('; '), { list })

export function checkedEmail(email: string): void {
  const faults = accountFaults({ email })
  if (faults.length > 0) throw invalid(faults)
}
