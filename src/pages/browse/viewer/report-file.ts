import type { Caller } from '../../../accounts/index.ts'
import { addressesOf } from '../../../http/addresses/file-addresses.ts'
import { mailReport } from '../../../http/mails/report-mail.ts'
import { type FileType, fileAt } from '../../../http/requests/file-at.ts'
import { responseOfRefusal } from '../../../http/responses/errors.ts'
import { Refusal } from '../../../lib/refusal.ts'
import {
  insideAlbum,
  isReportReason,
  longestReportText,
  ownFileReported,
  pageAccessOf,
  type ReportReason,
  reportFile,
  type StoredFile,
} from '../../../media/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { refusalText } from '../../../ui/refusal-words.ts'
import { orRefusal } from '../../../ui/refused.ts'
import { writeNumber } from '../../../words/format.ts'
import type { PageCall, PageHandler } from '../../page-call.ts'
import { hasUnlockToken } from '../../password/unlock-token.ts'
import { callerOf } from '../lists/file-list.ts'
import { type ReportFaults, reportFormPage, reportSentPage } from './report-page.ts'

/** The form for a report, and the thanks for it: the file may be hidden by then, so these name none. */
export const showReport =
  (type: FileType): PageHandler =>
  async (call) => {
    if (call.query.get('sent') === '1') return { page: reportSentPage(call) }
    const { file, caller } = await seenFile(call, type)
    if (!caller) return { to: pathOf(call, file) }
    return {
      page: reportFormPage(call, { file, path: pathOf(call, file), reason: '', text: '', faults: {} }),
    }
  }

export const postReport =
  (type: FileType): PageHandler =>
  async (call) => {
    const { file, caller } = await seenFile(call, type)
    if (!caller) return { to: pathOf(call, file) }
    const { reason, text, faults } = readReport(call)
    const refuse = (more: ReportFaults, status = 400) => ({
      status,
      page: reportFormPage(call, { file, path: pathOf(call, file), reason, text, faults: more }),
    })
    if (!isReportReason(reason) || faults.text !== undefined) return refuse(faults)
    const sent = await orRefusal(send(call, caller, { fileId: file.id, reason, text }))
    if (!(sent instanceof Refusal)) return { to: `${pathOf(call, file)}/report?sent=1` }
    const { status, headers } = responseOfRefusal(sent)
    return { ...refuse({ whole: messageOf(call, sent) }, status), headers }
  }

/** The file of the address. Without a caller its album asks for a password first, which its own page does. */
async function seenFile(
  call: PageCall,
  type: FileType,
): Promise<{ file: StoredFile; caller: Caller | undefined }> {
  const { app, site, request } = call
  const caller = callerOf(call)
  const file = await fileAt(site, type, call.params.name ?? '', caller)
  if (caller.kind === 'user' && caller.userId === file.userId) throw ownFileReported()
  const { album, lock } = await pageAccessOf(site, caller, file)
  if (lock && !hasUnlockToken(app, site, { request, lock })) return { file, caller: undefined }
  return { file, caller: album ? insideAlbum(site, caller, album) : caller }
}

const pathOf = ({ app, site }: PageCall, file: StoredFile) => addressesOf(app, site, file).viewerPath

async function send(
  call: PageCall,
  caller: Caller,
  report: { fileId: string; reason: ReportReason; text: string },
): Promise<void> {
  const { app, site, request } = call
  const { isFirst } = await changeSite(app.control, site, (changing) =>
    reportFile(changing, caller, { ...report, address: request.client.address }),
  )
  if (isFirst) await mailReport(call, report.reason)
}

/** What the form says, with a message for each field that cannot be taken. */
function readReport({ form, reader: { words, language } }: PageCall) {
  const [reason, text] = [form.get('reason') ?? '', (form.get('text') ?? '').replaceAll('\r\n', '\n').trim()]
  const length = [...text].length
  const faults: ReportFaults = {
    ...(!isReportReason(reason) && { reason: words.reportChoose }),
    ...(reason === 'other' && length === 0 && { text: words.reportTextNeeded }),
    ...(length > longestReportText && { text: words.reportTextLong(writeNumber(language, length)) }),
  }
  return { reason, text, faults }
}

function messageOf({ reader }: PageCall, refusal: Refusal): string {
  if (refusal.code === 'already-reported') return reader.words.reportTwice
  return refusal.code === 'too-many-reports' ? reader.words.reportRate : refusalText(reader, refusal)
}
