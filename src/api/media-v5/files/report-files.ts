import { type Static, Type } from 'typebox'
import type { LooseBody } from '../../../http/endpoint.ts'
import { Closed, Text, Word } from '../../../http/fields.ts'
import { mailReport } from '../../../http/mails/report-mail.ts'
import { noProof } from '../../../http/requests/proof-rule.ts'
import { isSameOrigin } from '../../../http/session/session-cookie.ts'
import { type Fault, faultOf } from '../../../lib/faults.ts'
import { Refusal } from '../../../lib/refusal.ts'
import {
  alreadyReported,
  longestReportText,
  type MadeReport,
  noSuchFile,
  ownFileReported,
  type ReportReason,
  reportFile,
  reportReasons,
  tooManyReports,
} from '../../../media/index.ts'
import type { ChangingEndpoint, MediaCall } from '../media-endpoint.ts'
import { noContent, onceRefusals, refusedAs } from '../responses.ts'
import { idOf, ofId } from '../rules/call-parts.ts'
import { changeOnce } from '../rules/idempotency.ts'
import { unknownFile } from './read-files.ts'

const ReportBody = Type.Object(
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
const reportFaults = ({ reason, text }: LooseBody): Fault[] =>
  reason === 'other' && String(text ?? '').trim() === '' ? [faultOf('text', 'reportText')] : []

function readReport(body: unknown): { reason: ReportReason; text: string } {
  const { reason, text = '' } = body as Static<typeof ReportBody>
  return { reason: reason as ReportReason, text: text.trim() }
}

export const postReport: ChangingEndpoint = {
  tag: 'Files',
  summary: 'Report a file',
  description:
    'Reports a file to the administrators and managers of the site. Visitors can report what ' +
    'they can see. A reporter can report a file once, and an address 5 files an hour. The ' +
    'setting `report_hide` is the number of reports that hide the file until it is reviewed.',
  access: 'visitor-read',
  proof: noProof.ownThings,
  params: ofId,
  body: ReportBody,
  bodyExample: { reason: 'copyright', text: 'I took this picture: https://example.com/cats/17' },
  bodyFaults: reportFaults,
  responses: {
    204: noContent,
    ...onceRefusals,
    403: refusedAs(
      'The file is the caller’s own, the key may not read, or a page of another site sends the report of a visitor.',
      ownFileReported(),
    ),
    404: unknownFile,
    409: refusedAs('The caller has reported the file already, or it is in the trash.', alreadyReported()),
    429: refusedAs('Too many requests, or reports, of one address.', tooManyReports(5, 1_020)),
  },
  handle: async (call) => {
    checkIsOwnWish(call)
    const report = {
      fileId: idOf(call, noSuchFile),
      address: call.request.client.address,
      ...readReport(call.body),
    }
    let made: MadeReport | undefined
    const answer = await changeOnce(call, async (site) => {
      made = await reportFile(site, call.caller, report)
      return { status: 204 }
    })
    if (made?.isFirst) await mailReport(call, report.reason)
    return answer
  },
}

/** A page elsewhere must not hide a file by reports that it lets its visitors send. Programs name no origin. */
function checkIsOwnWish({ app, site, caller, request }: MediaCall): void {
  const isFromPage = request.headers.origin !== undefined || request.headers['sec-fetch-site'] !== undefined
  if (caller.kind === 'guest' && isFromPage && !isSameOrigin(app, site, request)) throw reportedElsewhere()
}

const reportedElsewhere = () =>
  new Refusal(
    'forbidden',
    'not-same-origin',
    'Visitors report files on the pages of this site. A page of another site cannot do it for them.',
  )
