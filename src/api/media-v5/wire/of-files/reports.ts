import { type Static, Type } from 'typebox'
import type { LooseBody } from '../../../../http/endpoint.ts'
import { Text, Word } from '../../../../http/fields.ts'
import { Closed } from '../../../../http/wire/common.ts'
import { type Fault, faultOf } from '../../../../lib/faults.ts'
import { longestReportText, type ReportReason, reportReasons } from '../../../../media/index.ts'

export const ReportBody = Type.Object(
  {
    reason: Word(reportReasons, `One of ${reportReasons.map((reason) => `\`${reason}\``).join(', ')}`),
    text: Type.Optional(
      Text({
        most: longestReportText,
        description: `At most ${longestReportText} characters; needed for \`other\``,
      }),
    ),
  },
  Closed,
)

/** Rules of the body beyond its schema. */
export const reportFaults = ({ reason, text }: LooseBody): Fault[] =>
  reason === 'other' && String(text ?? '').trim() === '' ? [faultOf('text', 'reportText')] : []

export function readReport(body: unknown): { reason: ReportReason; text: string } {
  const { reason, text = '' } = body as Static<typeof ReportBody>
  return { reason: reason as ReportReason, text: text.trim() }
}
