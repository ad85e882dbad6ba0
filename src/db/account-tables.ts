/** A site's users, with their keys and sessions. */
export interface AccountTables {
  user: {
    id: string
    username: string
    usernameKey: string
    /** Empty if the user has none; then `emailKey` is `@` and the id, which is no address. */
    email: string
    emailKey: string
    /** When the owner of the address has used a link that was sent to it. */
    emailConfirmedAt: string | null
    /** A new address, until its owner confirms it. Others may have it meanwhile. */
    pendingEmail: string | null
    /** Empty if the user has none, and logs in by a provider or a passkey. */
    passwordHash: string
    role: 'admin' | 'manager' | 'user'
    isBanned: number
    createdAt: string
    updatedAt: string
    /** Increases with every edit. */
    version: number
    /** What the user has chosen for the pages, as JSON. */
    preferences: string
  }
  userKey: {
    id: string
    userId: string
    name: string
    secretHash: string
    createdAt: string
    expiresAt: string | null
    scope: 'upload' | 'read' | 'write' | 'admin'
    /** The only album that the key reaches; the key is deleted with it. */
    albumId: string | null
    /** JSON array of texts, and so is `allowedAddresses`; empty if there is no limit. */
    allowedOrigins: string
    allowedAddresses: string
    lastUsedAt: string | null
    lastUsedAddress: string | null
    /** The secret before the last rotation, accepted until `oldSecretEndsAt`. */
    oldSecretHash: string | null
    oldSecretEndsAt: string | null
  }
  session: {
    tokenHash: string
    userId: string
    createdAt: string
    expiresAt: string
    /** Names the session in lists; the token is never shown. */
    id: string
    address: string
    userAgent: string
    lastUsedAt: string
    /** The browser keeps the cookie when it is closed. */
    isLasting: number
    /** When the user last proved the password in this session. */
    provenAt: string | null
  }
  /** Links that were sent by mail: to set a new password, or to confirm a sign-up or a new address. */
  mailLink: {
    tokenHash: string
    kind: 'reset' | 'sign-up' | 'address'
    /** A sign-up has no user yet. */
    userId: string | null
    /** Of a sign-up: name and address, as JSON. Of an address: the address. */
    content: string
    createdAt: string
    expiresAt: string
  }
  /** The second step of a log-in, once its user has confirmed it by a code. */
  totp: {
    userId: string
    sealedSecret: string
    /** The last time step whose code was taken: no code counts twice. */
    lastStep: number
    createdAt: string
  }
  /** Codes in place of the second step, each good once; used ones are deleted. */
  recoveryCode: { userId: string; codeHash: string }
  /** What a user shows to others. Missing until the user writes something. */
  profile: {
    userId: string
    about: string
    /** A small square in base64; null if there is none. */
    picture: string | null
    pictureMime: string | null
    /** SHA-256 of the picture in hexadecimal digits; names it in its address. */
    pictureHash: string | null
  }
  passkey: {
    id: string
    userId: string
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
  /** Where users log in by OpenID Connect. The name is part of addresses. */
  loginProvider: {
    name: string
    title: string
    issuer: string
    clientId: string
    /** Empty for a client without a secret. */
    sealedSecret: string
    /** Separated by spaces. */
    scopes: string
    isEnabled: number
    isSignUpOpen: number
    newUserRole: 'manager' | 'user'
    sortOrder: number
    createdAt: string
    updatedAt: string
    /** Increases with every edit. */
    version: number
  }
  /** A user's account at a provider, at most one for each. */
  identity: {
    id: string
    providerName: string
    /** As the provider names the account (`sub`): it never names another one. */
    subject: string
    userId: string
    /** What the person knows the account by, when it was connected. */
    label: string
    createdAt: string
    lastUsedAt: string | null
  }
  /** Challenges that were answered, and log-ins that came back from a provider: none counts twice. */
  usedToken: { tokenHash: string; expiresAt: string }
  /** Wrong log-ins, counted by client address and by account; also sign-ups and mails that were asked for. */
  loginTry: { id: string; address: string; account: string; at: string }
}
