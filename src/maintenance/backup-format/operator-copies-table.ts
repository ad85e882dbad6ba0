import type { ControlDb, ControlTables } from '../../db/index.ts'

/** An operator's account with what it logs in with. Sessions, links and wrong tries are not copied. */
export interface OperatorCopy {
  operator: ControlTables['operator']
  passkeys: ControlTables['operatorPasskey'][]
  /** Hashes of the recovery codes. */
  codes: string[]
}

export async function allOperatorCopies(db: ControlDb): Promise<OperatorCopy[]> {
  const operators = await db.selectFrom('operator').selectAll().orderBy('id').execute()
  const passkeys = await db.selectFrom('operatorPasskey').selectAll().orderBy('id').execute()
  const codes = await db.selectFrom('operatorRecoveryCode').selectAll().orderBy('codeHash').execute()
  return operators.map((operator) => ({
    operator,
    passkeys: passkeys.filter(({ operatorId }) => operatorId === operator.id),
    codes: codes.filter(({ operatorId }) => operatorId === operator.id).map(({ codeHash }) => codeHash),
  }))
}

export async function insertOperatorCopy(
  db: ControlDb,
  { operator, passkeys, codes }: OperatorCopy,
): Promise<void> {
  await db.insertInto('operator').values(operator).execute()
  if (passkeys.length > 0) await db.insertInto('operatorPasskey').values(passkeys).execute()
  const rows = codes.map((codeHash) => ({ operatorId: operator.id, codeHash }))
  if (rows.length > 0) await db.insertInto('operatorRecoveryCode').values(rows).execute()
}
