import { formatSize } from '../../../lib/sizes.ts'
import { fileNameOf, type StoredFile } from '../../../media/index.ts'
import { type Html, html } from '../../html.ts'
import { howLongAgo } from '../../upload-v1/how-long-ago.ts'

interface Circumstances {
  views: number
  now: Date
  timeZone: string
}

/** What there is to know about the file, line by line. */
export function factList(file: StoredFile, { views, now, timeZone }: Circumstances): Html {
  const at = (date: Date) => timeTag(date, timeZone)
  const lines: (readonly [string, Html] | undefined)[] = [
    ['Views', html`${views.toLocaleString('en')}`],
    ['Uploaded', html`${howLongAgo(file.createdAt, now)}<br><small>${at(file.createdAt)}</small>`],
    file.date.getTime() === file.createdAt.getTime() ? undefined : ['Date', at(file.date)],
    ['Dimensions', html`${file.width} × ${file.height}`],
    ['Size', html`${formatSize(file.sizeBytes)}`],
    ['Type', html`${file.mime}`],
    file.durationSeconds > 0 ? ['Duration', html`${durationOf(file.durationSeconds)}`] : undefined,
    ['File', html`<span class="name">${fileNameOf(file)}</span>`],
  ]
  return html`<dl class="facts">${lines.flatMap((line) => (line ? [html`<div><dt>${line[0]}</dt><dd>${line[1]}</dd></div>`] : []))}</dl>`
}

/** How long the file will be there, said before anybody relies on it. */
export function expirationNote(
  file: StoredFile,
  { now, timeZone }: Omit<Circumstances, 'views'>,
): Html | undefined {
  if (!file.expiresAt) return undefined
  const left = timeLeft(file.expiresAt.getTime() - now.getTime())
  return html`<p class="note">This file will be gone in ${left}: ${timeTag(file.expiresAt, timeZone)}.</p>`
}

/** In a unit that is fine enough not to mislead. */
function timeLeft(milliseconds: number): string {
  const minutes = Math.ceil(milliseconds / 60_000)
  if (minutes < 120) return minutes === 1 ? '1 minute' : `${minutes} minutes`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`
}

function timeTag(at: Date, timeZone: string): Html {
  const text = at.toLocaleString('en-GB', {
    ...{ day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' },
    ...{ timeZone, timeZoneName: 'short' },
  })
  return html`<time datetime="${at.toISOString()}">${text}</time>`
}

const durationOf = (seconds: number) =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`
