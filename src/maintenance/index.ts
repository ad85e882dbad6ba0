export { backUp } from './backup/backup.ts'
export type { Manifest } from './backup-format/manifest.ts'
export { type Examination, examine, examineApp } from './doctor/doctor.ts'
export type { Finding, Verdict } from './doctor/finding.ts'
export { countFindings, type HealthRun, lastHealthRun } from './doctor/health-runs.ts'
export { type Restored, restoreBackup } from './restore/restore.ts'
export {
  askForBackup,
  askForHealth,
  askForVerification,
} from './work/ask-for-work.ts'
export { type Backup, listBackups } from './work/backup-folder.ts'
export type { BackupResult, VerificationResult } from './work/backup-rules.ts'
export { askForMove, cancelMove, countMoves, moveHere } from './work/moves.ts'
export { workRules } from './work/work-rules.ts'
