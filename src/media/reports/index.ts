export { alreadyReported, ownFileReported, tooManyReports } from '../errors.ts'
export {
  keepReported,
  listAllReported,
  listReported,
  type ReportedFile,
  removeReported,
} from './list-reported.ts'
export { type MadeReport, type NewReport, reportFile } from './report-file.ts'
export {
  isReportReason,
  longestReportText,
  type ReportReason,
  type ReportText,
  reportReasons,
} from './reports-table.ts'
