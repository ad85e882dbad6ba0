import { Type } from 'typebox'
import { noProof } from '../../../http/requests/proof-rule.ts'
import { collect } from '../../../http/uploads/collect.ts'
import { CollectedObject } from '../../../http/wire/shares.ts'
import { shareEnded, shareOfToken, unknownShare, uploadsUsedUp } from '../../../media/index.ts'
import { FileName, fileForms, fileRefusals, visitorFields } from '../files/file-forms.ts'
import type { ChangingEndpoint } from '../media-endpoint.ts'
import { refusedAs } from '../responses.ts'
import { ShareToken } from './open-share.ts'

export const postShareFile: ChangingEndpoint = {
  tag: 'Shares',
  summary: 'Add a file to a shared album',
  description:
    'For every visitor who knows the token of a share with `allow_upload`; one with a password, ' +
    'and one without views left, also needs its pass in `X-Share`. The ' +
    'body is the file itself, or a form with the file as `source`. The file belongs to the ' +
    'owner of the album and counts towards the limits of the site; the flood limits of guests ' +
    'apply.',
  access: 'visitor',
  proof: noProof.link,
  isBodyUnread: true,
  params: Type.Object({ token: ShareToken }),
  query: Type.Object({ filename: FileName, ...visitorFields }),
  forms: fileForms(visitorFields),
  responses: {
    201: { description: 'The file is stored.', schema: CollectedObject },
    ...fileRefusals,
    403: refusedAs(
      'The share does not allow uploads, has reached its upload limit, or needs its password.',
      uploadsUsedUp(),
    ),
    404: refusedAs('There is no such share.', unknownShare()),
    410: refusedAs(
      'The share was revoked or suspended, has expired, or has reached its view limit.',
      shareEnded(),
    ),
  },
  handle: async (call) => {
    const { site } = call
    const share = await shareOfToken(site, call.params.token ?? '')
    return collect(call, share, call.caller.share?.shareId === share.id)
  },
}
