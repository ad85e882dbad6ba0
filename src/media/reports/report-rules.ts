/** Why a file is reported. `other` needs a text. */
export const reportReasons = [
  ...(['illegal', 'sexual', 'abuse', 'privacy'] as const),
  ...(['copyright', 'spam', 'other'] as const),
] as const

export type ReportReason = (typeof reportReasons)[number]

export const isReportReason = (text: string): text is ReportReason =>
  (reportReasons as readonly string[]).includes(text)

export const longestReportText = 1_000
