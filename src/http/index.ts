export { publicUrl } from './public-url.ts'
export { type RunningServer, startServer } from './server.ts'
export { writeEffective, writeKey, writePlan, writeTenant } from './tenants-v4/wire.ts'
