import { type Html, html } from '../../lib/html.ts'
import { readStorageUse, type StorageUse } from '../../media/index.ts'
import { table } from '../../ui/parts/lists.ts'
import { emptyState, meter } from '../../ui/parts/states.ts'
import { writeNumber, writeSize } from '../../words/format.ts'
import { type PageCall, type PageHandler, userOf } from '../page-call.ts'
import { dashboardPage, dashboardSection } from './dashboard-frame.ts'

/** Where the files of the site are stored, and what takes the room. */
export const showStorages: PageHandler = async (call) => ({
  page: storagesPage(call, await readStorageUse(call.site, userOf(call))),
})

/** Read-only: the operator decides where files are stored, and how many. */
function storagesPage(call: PageCall, use: StorageUse): string {
  const { words } = call.reader
  const content = html`<p class="soft">${words.storageRuled}</p>
${figures(call, use)}
${dashboardSection(words.storageRules, rules(call, use))}
${
  use.kinds.length === 0
    ? emptyState({ title: words.noFiles, text: words.noFilesOnSite })
    : html`${dashboardSection(words.storageByKind, byKind(call, use))}
${dashboardSection(words.storageByUser, byUser(call, use))}`
}`
  return dashboardPage(call, { part: '/dashboard/storages', content })
}

/** A meter only where there is a limit. */
function figures(
  { reader: { words, language } }: PageCall,
  { bytes, files, reservedBytes }: StorageUse,
): Html {
  const figure = (
    label: string,
    { used, limit }: StorageUse['bytes'],
    write: (amount: number) => string,
    note?: string,
  ) => {
    const use =
      limit === undefined
        ? undefined
        : meter({ label, used, limit, text: words.ofLimit(write(used), write(limit)) })
    return html`<div><dt>${label}</dt><dd><span class="figure">${write(used)}</span>${use}${note && html`<span class="small soft">${note}</span>`}</dd></div>`
  }
  const size = (amount: number) => writeSize(language, amount)
  const reserved = reservedBytes === 0 ? undefined : words.storageReserved(size(reservedBytes))
  return html`<dl class="figures">${figure(words.storage, bytes, size, reserved)}${figure(words.filesTab, files, (count) => writeNumber(language, count))}</dl>`
}

function rules({ reader: { words, language } }: PageCall, use: StorageUse): Html {
  const size = (amount: number | undefined) =>
    amount === undefined ? words.noLimit : writeSize(language, amount)
  const rows = [
    [words.storageKind, words.storageKinds[use.kind]],
    [words.storageMost, size(use.bytes.limit)],
    [
      words.storageMostFiles,
      use.files.limit === undefined ? words.noLimit : writeNumber(language, use.files.limit),
    ],
    [words.storageMostUpload, size(use.mostUploadBytes)],
  ] as const
  return table(
    words.storageRules,
    [words.factName, words.factValue].map((name) => ({ name })),
    rows.map(([name, value]) => [html`${name}`, html`${value}`]),
  )
}

interface Row {
  name: Html
  files: number
  bytes: number
}

function stored(
  { reader: { words, language } }: PageCall,
  caption: string,
  first: string,
  rows: readonly Row[],
) {
  const columns = [
    { name: first },
    { name: words.filesTab, isNumber: true },
    { name: words.storage, isNumber: true },
  ]
  return table(
    caption,
    columns,
    rows.map(({ name, files, bytes }) => [
      name,
      html`${writeNumber(language, files)}`,
      html`${writeSize(language, bytes)}`,
    ]),
  )
}

function byKind(call: PageCall, { kinds, earlier, trash }: StorageUse): Html {
  const { words, language } = call.reader
  const rows = [
    ...kinds.map(({ kind, ...each }) => ({ name: html`${kind.toUpperCase()}`, ...each })),
    ...(earlier.files === 0 ? [] : [{ name: html`${words.storageEarlier}`, ...earlier }]),
  ]
  const inTrash =
    trash.files === 0
      ? undefined
      : html`<p class="soft">${words.storageTrash(writeNumber(language, trash.files), writeSize(language, trash.bytes))}</p>`
  return html`${stored(call, words.storageByKind, words.factType, rows)}${inTrash}`
}

function byUser(call: PageCall, { largestUsers, guests }: StorageUse): Html {
  const { words } = call.reader
  const users = largestUsers.map(({ id, username, files, storedBytes }) => ({
    name: html`<a href="/dashboard/users/${id}" dir="auto">${username}</a>`,
    files,
    bytes: storedBytes,
  }))
  const all = guests.files === 0 ? users : [...users, { name: html`${words.storageGuests}`, ...guests }]
  return html`${stored(call, words.storageByUser, words.username, all)}
<p><a href="/dashboard/users?sort=storage">${words.storageAllUsers}</a></p>`
}
