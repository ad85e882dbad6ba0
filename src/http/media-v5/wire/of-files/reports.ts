import { type Static, Type } from 'typebox'
import { longestReportText, type ReportReason, reportReasons } from '../../../../media/index.ts'
import type { LooseBody } from '../../../endpoint.ts'
import { Closed } from '../common.ts'
import { textFaults, wordFaults } from '../text-faults.ts'

export const ReportBody = Type.Object(
  {
    reason: Type.String({
      description: `One of ${reportReasons.map((reason) => `\`${reason}\``).join(', ')}`,
    }),
    text: Type.Optional(
      Type.String({ description: `At most ${longestReportText} characters; needed for \`other\`` }),
    ),
  },
  Closed,
)

/** Rules of the body beyond its types. */
export function reportFaults(body: LooseBody): string[] {
  const isTextMissing = body.reason === 'other' && String(body.text ?? '').trim() === ''
  return [
    ...wordFaults(body, 'reason', reportReasons),
    ...textFaults(body, 'text', { most: longestReportText }),
    ...(isTextMissing ? ['text: must say what is wrong, because the reason is other'] : []),
  ]
}

export function readReport(body: unknown): { reason: ReportReason; text: string } {
  const { reason, text = '' } = body as Static<typeof ReportBody>
  return { reason: reason as ReportReason, text: text.trim() }
}
