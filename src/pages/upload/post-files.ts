import { unauthenticated } from '../../accounts/index.ts'
import { answerUpload } from '../../http/uploads/answer-upload.ts'
import { checkFormToken } from '../../ui/form.ts'
import type { PageHandler } from '../page-call.ts'
import { ownerOf, uploaderOf } from './upload-data.ts'

/** Stores a file of the queue. The answer is that of `POST /api/5/files`; flood limits hold, rates of programs do not. */
export const postFiles: PageHandler = async (call) => {
  const { app, site, request, reply } = call
  // A row of a person who has logged out must not become a file of a guest.
  if (request.headers['x-terrace-user'] !== ownerOf(call)) throw unauthenticated()
  checkFormToken(call.reader, String(request.headers['x-csrf-token'] ?? ''))
  const caller = uploaderOf(call)
  const { status, headers, body } = await answerUpload({ app, site, caller, request, reply, isOfPage: true })
  return reply
    .code(status)
    .headers({ ...headers, 'content-type': 'application/json; charset=utf-8' })
    .send(JSON.stringify(body))
}
