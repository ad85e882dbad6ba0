/** The accounts of operators, who log in to the console. */
export interface OperatorTables {
  operator: {
    id: string
    username: string
    usernameKey: string
    role: 'operator' | 'viewer'
    /** Empty if there is none: the operator logs in with a passkey, or has not used the link yet. */
    passwordHash: string
    /** The second step of the password, encrypted with the key ring; null if there is none. */
    sealedTotp: string | null
    /** The last time step whose code was taken: no code counts twice. */
    totpStep: number
    totpSince: string | null
    createdAt: string
    lastLoginAt: string | null
  }
  operatorPasskey: {
    id: string
    operatorId: string
    /** As the browser names it, in Base64url; so is the public key (COSE). */
    credentialId: string
    publicKey: string
    counter: number
    /** JSON array, as the browser reported it. */
    transports: string
    /** Browsers bind a passkey to the hostname at which it was made. */
    hostname: string
    name: string
    createdAt: string
    lastUsedAt: string | null
  }
  /** Codes in place of the second step, each good once; used ones are deleted. */
  operatorRecoveryCode: { operatorId: string; codeHash: string }
  operatorSession: {
    tokenHash: string
    /** Names the session in lists; the token is never shown. */
    id: string
    operatorId: string
    address: string
    userAgent: string
    createdAt: string
    lastUsedAt: string
    expiresAt: string
    /** When the operator last proved a passkey, or the password, in this session. */
    provenAt: string | null
  }
  /** A link to set up an account: good once, for a day. */
  operatorInvite: {
    tokenHash: string
    operatorId: string
    /** The second step that the page of the link offers. It is encrypted for the operator, so that it can be moved as it is. */
    sealedTotp: string
    createdAt: string
    expiresAt: string
  }
  /** Wrong passwords and codes, counted by client address and by account. */
  operatorTry: { id: string; address: string; account: string; at: string }
}
