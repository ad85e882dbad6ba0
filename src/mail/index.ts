export { type Mail, type Mailer, openMailer } from './mailer.ts'
