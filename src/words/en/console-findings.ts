import { type CheckName, checkTexts, type MessageTexts, messageTexts } from '../../lib/messages.ts'
import type { Refusal } from '../../lib/refusal.ts'

type Params = Refusal['params']

/** What the doctor and backups have found, as the tool writes it. */
const messages: MessageTexts = messageTexts

/** In English a check has the name that the tool shows. */
const checkNames = Object.fromEntries(Object.keys(checkTexts).map((name) => [name, name])) as Record<
  CheckName,
  string
>

const checkTitles: Record<CheckName, string> = checkTexts

export const consoleFindings = { messages, checkNames, checkTitles }

/** Refusals of long work and of the checks, because something else is out of order. By their codes. */
export const outages = {
  'store-unavailable': (_params: Params) => 'The database cannot be reached. Try again shortly.',
  'store-busy': (_params: Params) => 'The database is busy. Try again shortly.',
  'storage-unavailable': (_params: Params) => 'The storage cannot be reached. Try again shortly.',
  'storage-broken': (_params: Params) => 'The storage has lost bytes and accepts no more files.',
  'disk-full': (_params: Params) => 'There is no space left to store this.',
  'backups-unreadable': (_params: Params) =>
    'The folder of backups cannot be read. Check its path and its permissions.',
  'site-moving': (_params: Params) => 'This site is being moved. Try again shortly.',
}
