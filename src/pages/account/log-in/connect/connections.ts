import { disconnectAccount, noSuchIdentity } from '../../../../accounts/index.ts'
import { notify } from '../../../../http/mails/send-mail.ts'
import { responseOfRefusal } from '../../../../http/responses/errors.ts'
import { isId } from '../../../../lib/ids.ts'
import { Refusal } from '../../../../lib/refusal.ts'
import { changeSite } from '../../../../tenants/index.ts'
import { type PageHandler, userOf } from '../../../page-call.ts'
import { orRefusal } from '../../../refused.ts'
import { refusedConnection } from '../../settings/security.ts'

export const disconnect: PageHandler = async (call) => {
  const { id = '' } = call.params
  if (!isId(id)) throw noSuchIdentity(id.slice(0, 64))
  const done = await orRefusal(
    changeSite(call.app.control, call.site, (changing) => disconnectAccount(changing, userOf(call), id)),
  )
  if (!(done instanceof Refusal)) {
    await notify(call, { userId: userOf(call).userId, notice: 'provider-disconnected' })
    return { to: '/settings/security?saved=1' }
  }
  if (done.code !== 'last-way-in') throw done
  const { status, headers } = responseOfRefusal(done)
  return { page: await refusedConnection(call), status, headers }
}
