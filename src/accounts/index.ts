export { type Actor, actorOfKey, checkStillKnown } from './actor.ts'
export { deleteUser, editUser, lastLookAt } from './edit-user.ts'
export { limitReached, userNotFound } from './errors.ts'
export { hashPassword, isPassword, randomPassword } from './passwords.ts'
export { pruneSessions } from './prune-sessions.ts'
export { createKeyOfUser, createUserKey, removeUserKey, userOfName } from './user-keys.ts'
export { allUserKeys, type UserKey } from './user-keys-table.ts'
export {
  type Account,
  accountFaults,
  addUser,
  checkedAccount,
  createUser,
  type HashedAccount,
  resetPassword,
} from './users.ts'
export {
  allUsernames,
  allUsers,
  findUserByName,
  type ListedUser,
  type Role,
  type User,
} from './users-table.ts'
