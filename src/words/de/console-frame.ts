import type { consoleFrame as english } from '../en/console-frame.ts'
import type { WordsOf } from '../words-of.ts'

export const consoleFrame: WordsOf<typeof english> = {
  consoleName: 'Terrace-Konsole',
  consoleOverview: 'Übersicht',
  consoleTenants: 'Mandanten',
  consolePlans: 'Tarife',
  consoleMoves: 'Umzüge',
  consoleJobs: 'Jobs',
  consoleHealth: 'Zustand',
  consoleBackups: 'Sicherungen',
  consoleKeys: 'Verwaltungsschlüssel',
  consoleOperators: 'Betreiber',
  consoleAudit: 'Protokoll',
  consoleToOverview: 'Zur Übersicht',
  consoleFind: 'Mandant suchen',
  consoleFound: 'Mandanten',
}
