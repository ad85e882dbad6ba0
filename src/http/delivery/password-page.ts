import { html } from '../html.ts'
import { writePage } from './viewer/page.ts'

interface Question {
  siteName: string
  albumId: string
  /** Why the last try was refused. */
  fault: string | undefined
}

/** Tells nothing of the file or its album but the id, for those who keep passwords. The form goes to the page's own address. */
export function passwordPage({ siteName, albumId, fault }: Question): string {
  return writePage({
    siteName,
    title: `${fault === undefined ? '' : 'Not opened: '}Password needed - ${siteName}`,
    head: html`<meta name="robots" content="noindex">`,
    body: html`<div class="question">
<h1>Password needed</h1>
<p>This file is in an album with a password. Whoever sent you here can tell it to you.</p>
<form method="post" class="ask">
<input name="album" value="${albumId}" type="text" autocomplete="username" readonly hidden>
<label for="password">Password of the album</label>
${fault === undefined ? undefined : html`<p class="fault" id="fault" role="alert">${fault}</p>`}
<input id="password" name="password" type="password" autocomplete="current-password" required autofocus${fault === undefined ? undefined : html` aria-invalid="true" aria-describedby="fault"`}>
<button class="button">Show the file</button>
</form>
</div>`,
  })
}
