import { Refusal } from '../lib/refusal.ts'

export const leaseLost = () =>
  new Refusal('conflict', 'lease-lost', 'Another worker has taken over this site.')

export const faultText = (fault: unknown): string =>
  (fault instanceof Error ? fault.message : String(fault)).slice(0, 500)
