export {
  type Actor,
  actorOfKey,
  checkSender,
  checkStillKnown,
  checkUploadsOn,
  type KeySender,
  type UserCaller,
} from './actor.ts'
export {
  type Caller,
  callerOfKey,
  callerOfSession,
  hashOfToken,
  openSession,
  type SessionCaller,
  type SharedAccess,
} from './callers.ts'
export { type CreatedPosition, isCreatedBefore } from './created-position-table.ts'
export {
  boundToAlbum,
  idempotencyMismatch,
  invalidAccount,
  isOfEndedRights,
  keyNameTaken,
  lastAdmin,
  limitReached,
  linkEnded,
  logInSlowed,
  noSuchKey,
  noSuchUser,
  notAdministrator,
  originNotAllowed,
  quotaReached,
  scopeMissing,
  sessionNotFound,
  stillRunning,
  tooManyLogins,
  unauthenticated,
  userNotFound,
  wrongKey,
} from './errors.ts'
export {
  type RequestOfCaller,
  type RequestRun,
  type StartedRequest,
  startRequest,
} from './idempotency-keys.ts'
export {
  addressFault,
  type KeyLimits,
  keyNameFault,
  longestKeyName,
  maxAddresses,
  maxOrigins,
  originFault,
} from './keys/key-rules.ts'
export {
  createOwnKey,
  editOwnKey,
  listOwnKeys,
  readOwnKey,
  removeOwnKey,
  rotateOwnKey,
} from './keys/own-keys.ts'
export { hasAbility, type Scope, scopes } from './keys/scopes.ts'
export {
  type CreatedKey,
  createKeyOfUser,
  createUserKey,
  removeUserKey,
  userOfName,
} from './keys/user-keys.ts'
export { allUserKeys, type UserKey } from './keys/user-keys-table.ts'
export {
  type AddressMail,
  cancelAddress,
  confirmAddress,
  readAddressLink,
} from './links/confirm-address.ts'
export { countMail, countRequest, type Notice, uncountRequest } from './links/count-request.ts'
export { isRefusedAtSignUp, isReservedName, reservedNames } from './links/reserved-names.ts'
export { createResetLink, type ResetLink, readResetLink, resetByLink } from './links/reset-password.ts'
export { checkSignUp, confirmSignUp, readSignUp, signUp, startSignUp } from './links/sign-up.ts'
export {
  codeRequired,
  noTotp,
  passkeyNotFound,
  passkeyRefused,
  proofNeeded,
  secondStepFirst,
  secondStepNeeded,
  setUpEnded,
  wrongCode,
} from './login/errors.ts'
export {
  type HalfLogIn,
  halfLogInSeconds,
  openFirstStep,
  openHalfLogIn,
  sealFirstStep,
  sealHalfLogIn,
} from './login/half-log-in.ts'
export {
  type BegunFlow,
  beginConnect,
  checkProofBy,
  connectSeconds,
  finishConnect,
  openAccount,
  type ProviderAccount,
  requireEnabled,
  sealAccount,
  takeFlow,
} from './login/identities/connect.ts'
export {
  type Connection,
  connectAccount,
  disconnectAccount,
  listConnections,
  userOfAccount,
} from './login/identities/identities.ts'
export {
  freeName,
  type NextStep,
  nextStepOf,
  signUpByProvider,
} from './login/identities/sign-up-by-provider.ts'
export {
  addPasskey,
  listOwnPasskeys,
  passkeyCreation,
  removeOwnPasskey,
  renameOwnPasskey,
} from './login/passkeys/create-passkey.ts'
export { countPasskeysAt, type Passkey } from './login/passkeys/passkeys-table.ts'
export { userOfPasskey } from './login/passkeys/verify-passkey.ts'
export {
  type CreationOptions,
  checkPasskeyName,
  checkRoomForPasskey,
  creationOptions,
  type OpenedChallenge,
  type PasskeyAnswer,
  passkeyRequest,
  type RelyingParty,
  type RequestOptions,
  type StoredCredential,
  verifiedCreation,
  verifiedUse,
} from './login/passkeys/webauthn.ts'
export {
  checkProvider,
  DiscoveryCache,
  openProviderSlots,
  type ProviderAccess,
  type ProviderCheck,
} from './login/providers/provider-client.ts'
export { identityTaken, noSuchIdentity, noSuchProvider } from './login/providers/provider-errors.ts'
export {
  defaultScopes,
  type ProviderFields,
  providerFaults,
  providerNameFault,
} from './login/providers/provider-rules.ts'
export {
  countConnected,
  createProvider,
  editProvider,
  listEnabledProviders,
  listProviders,
  moveProvider,
  readProvider,
  removeProvider,
  secretOwner,
  switchProvider,
} from './login/providers/providers.ts'
export type { NewUserRole, Provider } from './login/providers/providers-table.ts'
export { lacksSecondStep } from './login/required-second-step.ts'
export {
  disableTotp,
  enableTotp,
  hasTotp,
  readTotp,
  removeTotpAs,
  removeTotpOf,
  renewRecoveryCodes,
  type TotpState,
  takeCode,
  totpOwner,
} from './login/totp.ts'
export {
  type CodeKind,
  isCodeTaken,
  kindOfCode,
  newRecoveryCodes,
  newTotpSecret,
  openTotpSetUp,
  stepOfCode,
  type TotpSetUp,
  totpAddress,
  totpSetUp,
} from './login/totp-codes.ts'
export { isUseUnrecorded, recordUse, recordUseIfDue } from './record-use.ts'
export { isRight, isStaff, mayDo, type Right, rights, rolesOfRight } from './roles.ts'
export { type Device, deviceSeconds, openDevice, sealDevice } from './sessions/devices.ts'
export { isProofRecent, longestMs } from './sessions/session-times.ts'
export {
  type CreatedSession,
  checkLogIn,
  createSession,
  endOtherSessions,
  endOwnSession,
  type LogInSteps,
  listOwnSessions,
  pruneSessions,
  readableUserAgent,
  recordProof,
  renewSession,
} from './sessions/sessions.ts'
export type { Session } from './sessions/sessions-table.ts'
export { emailForm, usernameFault, usernameForm } from './users/account-rules.ts'
export { checkChosenPassword, chosenPasswordFault } from './users/chosen-password.ts'
export {
  deleteUser,
  type EditedUser,
  editUser,
  lockUserForDeletion,
  type UserEdit,
} from './users/edit-user.ts'
export {
  addUserAs,
  type CheckVersion,
  changeSettingsAs,
  checkStillAdministrator,
  editUserAs,
  listUsers,
  readUser,
} from './users/manage-users.ts'
export {
  checkOwnPassword,
  editOwnAccount,
  hashNewPassword,
  type OwnAccount,
  readOwnAccount,
} from './users/own-account.ts'
export { hashPassword, isPassword, isPasswordOf, randomPassword } from './users/passwords.ts'
export {
  copyFormats,
  copySizes,
  defaultPreferences,
  editPreferences,
  expirations,
  mostTemplateLength,
  type Preferences,
} from './users/preferences.ts'
export {
  editAbout,
  mostAboutLength,
  readProfile,
  readProfilePicture,
  setProfilePicture,
} from './users/profiles.ts'
export type { Profile } from './users/profiles-table.ts'
export {
  type Account,
  accountFaults,
  addUser,
  adminAddresses,
  checkChosenAccount,
  checkedAccount,
  checkNewUser,
  checkPasswordReset,
  createUser,
  type HashedAccount,
  resetPassword,
  staffAddresses,
} from './users/users.ts'
export {
  adminAddressKeys,
  allUsernames,
  allUsers,
  existingUsers,
  findUser,
  findUserByName,
  isSameAddress,
  type ListedUser,
  type Role,
  roles,
  type User,
} from './users/users-table.ts'
