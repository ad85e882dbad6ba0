import type { Caller } from '../../accounts/index.ts'
import type { PageCall } from '../page-call.ts'

const guest: Caller = { kind: 'guest', hasPublicKey: false }

/** The user of the session, else a guest. */
export const uploaderOf = ({ session }: Pick<PageCall, 'session'>): Caller => session?.caller ?? guest

/** Names the uploader to the queue, which shows the rows of one person alone. */
export const ownerOf = ({ session }: Pick<PageCall, 'session'>): string => session?.caller.userId ?? 'guest'
