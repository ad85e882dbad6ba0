import type { consoleFrame as english } from '../en/console-frame.ts'
import type { WordsOf } from '../words-of.ts'

export const consoleFrame: WordsOf<typeof english> = {
  consoleName: 'Consola de Terrace',
  consoleOverview: 'Resumen',
  consoleTenants: 'Inquilinos',
  consolePlans: 'Planes',
  consoleMoves: 'Traslados',
  consoleJobs: 'Tareas',
  consoleHealth: 'Estado',
  consoleBackups: 'Copias de seguridad',
  consoleKeys: 'Claves de gestión',
  consoleOperators: 'Operadores',
  consoleAudit: 'Registro',
  consoleToOverview: 'Ir al resumen',
  consoleFind: 'Buscar un inquilino',
  consoleFound: 'Inquilinos',
}
