export { type Actor, actorOfKey } from './actor.ts'
export { limitReached, userNotFound } from './errors.ts'
export { hashPassword, isPassword, randomPassword } from './passwords.ts'
export { createUserKey } from './user-keys.ts'
export {
  type Account,
  accountFaults,
  addUser,
  checkedAccount,
  createUser,
  type HashedAccount,
  resetPassword,
} from './users.ts'
export { allUsernames, findUserByName, type Role, type User, updatePassword } from './users-table.ts'
