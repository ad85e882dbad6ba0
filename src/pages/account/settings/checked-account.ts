import { accountFaults, invalidAccount } from '../../../accounts/index.ts'

export function checkedEmail(email: string): void {
  const faults = accountFaults({ email })
  if (faults.length > 0) throw invalidAccount(faults)
}
