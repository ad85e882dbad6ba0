import { type Html, html } from '../../../lib/html.ts'
import { fileNameOf, type StoredFile } from '../../../media/index.ts'
import { icon } from '../../../ui/parts/icon.ts'
import type { Reader } from '../../../ui/reader.ts'
import { timeTag, writeAgo, writeCount, writeNumber, writeSize, writeUntil } from '../../../words/format.ts'
import { likeCount } from './like-form.ts'

export interface DetailsContext {
  views: number
  now: Date
  timeZone: string
  reader: Reader
}

/** The properties of the file, as a list. */
export function detailList(
  file: StoredFile,
  { views, timeZone, reader, isOwn }: DetailsContext & { isOwn: boolean },
): Html {
  const { language, words } = reader
  const contributor = isOwn ? file.contributor : undefined
  const at = (date: Date) => timeTag(language, date, timeZone)
  const lines: (readonly [string, Html] | undefined)[] = [
    [words.factViews, html`${writeNumber(language, views)}`],
    [words.factUploaded, at(file.createdAt)],
    contributor === undefined ? undefined : [words.factSentBy, html`<bdi>${contributor}</bdi>`],
    file.date.getTime() === file.createdAt.getTime() ? undefined : [words.factDate, at(file.date)],
    [words.factDimensions, html`${file.width} × ${file.height}`],
    [words.factSize, html`${writeSize(language, file.sizeBytes)}`],
    [words.factType, html`${file.mime}`],
    file.durationSeconds > 0 ? [words.factDuration, html`${durationOf(file.durationSeconds)}`] : undefined,
    [words.factFile, html`<span class="name">${fileNameOf(file)}</span>`],
  ]
  return html`<dl class="facts">${lines.flatMap((line) => (line ? [html`<div><dt>${line[0]}</dt><dd>${line[1]}</dd></div>`] : []))}</dl>`
}

/** How long the file has been there, how often it was seen, and how many people like it. */
export function byline(file: StoredFile, { views, now, reader }: DetailsContext): Html {
  const { language, words } = reader
  const ago = writeAgo(language, file.createdAt, now) ?? words.momentsAgo
  return html`<p class="byline soft">${words.factUploaded} ${ago} · ${writeCount(language, words.views, views)}${likeCount(file, reader)}</p>`
}

/** Says when the file expires. */
export function expirationNote(
  file: StoredFile,
  { now, timeZone, reader }: DetailsContext,
): Html | undefined {
  if (!file.expiresAt) return undefined
  const { language, words } = reader
  const when = writeUntil(language, file.expiresAt, now)
  return html`<p class="note">${icon('clock')}<span>${words.expires(when)}: ${timeTag(language, file.expiresAt, timeZone)}.</span></p>`
}

const durationOf = (seconds: number) =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`
