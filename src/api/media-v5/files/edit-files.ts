import { Type } from 'typebox'
import { limitReached } from '../../../accounts/index.ts'
import { checkIfMatch, etagOf, versionDiffers } from '../../../http/requests/conditions.ts'
import { noProof } from '../../../http/requests/proof-rule.ts'
import { FileEditBody, fileEditFaults, readFileEdit } from '../../../http/wire/file-edits.ts'
import { FileObject } from '../../../http/wire/files.ts'
import { yesNoParameter } from '../../../http/wire/query.ts'
import {
  deleteFile as deleteFileOfCaller,
  editFile,
  type FileTarget,
  fileInTrash,
  noSuchFile,
  notYourFile,
  restoreFile,
  type ShownFile,
} from '../../../media/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import type { ChangingEndpoint, MediaAnswer, MediaCall } from '../media-endpoint.ts'
import { bodyRefusals, changeRefusals, noContent, onceRefusals, refusedAs } from '../responses.ts'
import { idOf, ofId, userOf } from '../rules/call-parts.ts'
import { changeOnce } from '../rules/idempotency.ts'
import { unknownFile, writerOf } from './read-files.ts'

export const foreignFile = refusedAs(
  'The file belongs to another user, or the scope is missing.',
  notYourFile(),
)
export const otherVersion = refusedAs('`If-Match` names another version.', versionDiffers(7))
export const changedFile = {
  description: 'The file.',
  schema: FileObject,
  headers: { ETag: 'Its version' },
}

export const patchFile: ChangingEndpoint = {
  tag: 'Files',
  summary: 'Change a file',
  description:
    'Omitted fields keep their values; null clears one. Owners can change their files, ' +
    'administrators and managers all files. With `If-Match` the change is made only to that ' +
    'version.',
  access: 'write',
  proof: noProof.ownThings,
  requestHeaders: ['IfMatch'],
  params: ofId,
  body: FileEditBody,
  bodyExample: { title: 'A cat', add_tags: ['pet'], is_private: false },
  bodyFaults: fileEditFaults,
  responses: {
    200: changedFile,
    ...bodyRefusals,
    403: foreignFile,
    404: unknownFile,
    409: refusedAs('The file is in the trash.', fileInTrash()),
    412: otherVersion,
  },
  handle: async (call) => {
    const edit = readFileEdit(call.body)
    const shown = await changeSite(call.app.control, call.site, (site) =>
      editFile(site, userOf(call), { ...targetOf(call), edit }),
    )
    return answerFile(call, shown)
  },
}

export const deleteFile: ChangingEndpoint = {
  tag: 'Files',
  summary: 'Delete a file',
  description:
    'Moves the file to the trash, and all its addresses stop working immediately. It is deleted ' +
    'after `trash_days` (a setting of the site). With `permanent=true`, or if `trash_days` is ' +
    '0, it is permanently deleted.',
  access: 'write',
  proof: noProof.ownThings,
  requestHeaders: ['IfMatch'],
  params: ofId,
  query: Type.Object({
    permanent: yesNoParameter('`true` deletes it permanently, also from the trash'),
  }),
  responses: {
    204: noContent,
    ...changeRefusals,
    403: foreignFile,
    404: unknownFile,
    412: otherVersion,
  },
  handle: async (call) => {
    const isPermanent = call.query.permanent === true
    await changeSite(call.app.control, call.site, (site) =>
      deleteFileOfCaller(site, userOf(call), { ...targetOf(call), isPermanent }),
    )
    return { status: 204 }
  },
}

export const postRestore: ChangingEndpoint = {
  tag: 'Files',
  summary: 'Restore a file from the trash',
  description: 'A file that is not in the trash does not change.',
  access: 'write',
  proof: noProof.ownThings,
  requestHeaders: ['IfMatch'],
  params: ofId,
  responses: {
    200: changedFile,
    ...onceRefusals,
    403: refusedAs(
      'The site has reached its file limit, or the file belongs to another user.',
      limitReached('SERVICE_MAX_FILES', 1_000),
    ),
    404: unknownFile,
    412: otherVersion,
  },
  handle: (call) =>
    changeOnce(call, async (site) => answerFile(call, await restoreFile(site, userOf(call), targetOf(call)))),
}

/** The file in the path, in the version that `If-Match` names. */
export const targetOf = (call: MediaCall): FileTarget => ({
  id: idOf(call, noSuchFile),
  checkVersion: (version) => checkIfMatch(call.request.headers, version),
})

export const answerFile = (call: MediaCall, shown: ShownFile, status = 200): MediaAnswer => ({
  status,
  body: writerOf(call)(shown),
  headers: { etag: etagOf(shown.file.version), 'cache-control': 'private, no-cache' },
})
