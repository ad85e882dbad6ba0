import { Type } from 'typebox'
import { type UserCaller, unauthenticated } from '../../../accounts/index.ts'
import { Id } from '../../../http/fields.ts'
import { isId } from '../../../lib/ids.ts'
import type { MediaCall } from '../media-endpoint.ts'

/** The user of a call whose access lets no guest through. */
export function userOf({ caller }: MediaCall): UserCaller {
  if (caller.kind === 'guest') throw unauthenticated()
  return caller
}

/** The id in the path. An id of another form names nothing, and PostgreSQL refuses some characters (NUL). */
export function idOf({ params }: MediaCall, notFound: (id: string) => Error): string {
  const { id = '' } = params
  if (!isId(id)) throw notFound(id.slice(0, 64))
  return id
}

export const ofId = Type.Object({ id: Id('The id') })
