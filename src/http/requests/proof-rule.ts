/**
 * Every call that changes something says whether a session needs a proof of the last ten minutes for it: else a copied
 * cookie would be as good as the password. Calls by key need none. A call without a proof says why.
 */
export interface WithoutProof {
  withoutProof: string
}

const without = (reason: string): WithoutProof => ({ withoutProof: reason })

/** Reasons that several calls share. */
export const noProof = {
  logIn: without('It begins or ends a log-in, so there is no session yet that could be proven.'),
  link: without('The secret link, password or key in the request allows it; no session counts.'),
  ownThings: without('It changes only files, albums and preferences, and opens no new way into an account.'),
  fewerRights: without('It only takes access away, which must be possible at once.'),
  moderation: without(
    'It is the daily work of staff on files and their labels; the audit log has each change.',
  ),
  look: without('It changes texts and pictures that everyone sees, and no right.'),
  password: without('The request itself brings the password or a passkey, and the handler checks it.'),
  uploadKey: without('It makes a key that only uploads.'),
  reading: without('It changes nothing.'),
} as const satisfies Record<string, WithoutProof>
