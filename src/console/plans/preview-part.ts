import { type Html, html } from '../../lib/html.ts'
import { countLimits } from '../../site/index.ts'
import {
  type EffectiveValue,
  isSecretLevel,
  type PlanValuePreview,
  type ValueChange,
} from '../../tenants/index.ts'
import { tokenField } from '../../ui/form.ts'
import { linkButton, submitButton } from '../../ui/parts/controls.ts'
import { table } from '../../ui/parts/lists.ts'
import { writeCount, writeNumber, writeSize } from '../../words/format.ts'
import type { ConsoleCall } from '../console-call.ts'
import { planPath, tenantPath } from '../record-paths.ts'
import { hidden, plain } from '../values/value-table.ts'
import { versionField } from '../version-in.ts'

/** What a change of a plan does to its tenants, and the form that makes it. */
export function previewPart(call: ConsoleCall, change: ValueChange, preview: PlanValuePreview): Html {
  const { words, language } = call.reader
  const { changed, unchanged, plan } = preview
  const counts = html`<p>${changed === 0 ? words.planNoChange : writeCount(language, words.planChanges, changed)}${unchanged === 0 ? undefined : html` ${writeCount(language, words.planOverridden, unchanged)}`}</p>`
  const content = html`<div class="preview">
${counts}
${fromTo(call, change.name, preview)}
${overPart(call, change.name, preview)}
${movesPart(call, preview)}
${saveForm(call, change, plan)}
</div>`
  // Read out first, and Save is the next stop: never under the key that has asked for the preview.
  return html`<section class="section"><h2 tabindex="-1" autofocus>${words.planPreviewTitle}</h2>${content}</section>`
}

function fromTo({ reader: { words } }: ConsoleCall, name: string, { from, to }: PlanValuePreview): Html {
  const write = (value: EffectiveValue | undefined) => {
    if (!value) return html`${words.valueNotSet}`
    return isSecretLevel(value.level, name) ? hidden(words) : plain(words, value.value)
  }
  const level = (value: EffectiveValue | undefined) =>
    value && html` <span class="soft">(${words.valueColumns[value.level]})</span>`
  return html`<p><code class="breaks">${name}</code>: ${write(from)}${level(from)} <span aria-hidden="true">→</span> <span class="only-read">${words.planTo}</span> <strong>${write(to)}</strong>${level(to)}</p>`
}

function overPart(
  { reader: { words, language } }: ConsoleCall,
  name: string,
  { to, over }: PlanValuePreview,
): Html | undefined {
  if (to === undefined || over.checked === 0) return undefined
  if (over.count === 0) return html`<p>${words.planNoOver}${checkedText(words, language, over)}</p>`
  const write = countLimits.includes(name) ? writeNumber : writeSize
  const columns = [
    { name: words.planTenant },
    { name: words.planUsed, isNumber: true },
    { name: words.planLimit, isNumber: true },
  ]
  const rows = over.first.map(({ tenant, used, limit }) => [
    tenantLink(tenant),
    html`${write(language, used)}`,
    html`${write(language, limit)}`,
  ])
  return html`<h3>${writeCount(language, words.planOver, over.count)}</h3>
<p class="soft">${words.planOverText}${checkedText(words, language, over)}${mostText(words, language, over)}</p>
<div class="preview-list">${table(writeCount(language, words.planOver, over.count), columns, rows)}</div>`
}

type Words = ConsoleCall['reader']['words']
type Language = ConsoleCall['reader']['language']

function checkedText(
  words: Words,
  language: Language,
  { isFromCopies, checked, isPartial }: PlanValuePreview['over'],
): string {
  if (isFromCopies) return ` ${words.planFromCopies}`
  return isPartial ? ` ${words.planChecked(writeNumber(language, checked))}` : ''
}

const mostText = (
  words: Words,
  language: Language,
  { first, count }: { first: readonly unknown[]; count: number },
): string => (first.length < count ? ` ${words.planMost(writeNumber(language, first.length))}` : '')

function movesPart(
  { reader: { words, language } }: ConsoleCall,
  { moves }: PlanValuePreview,
): Html | undefined {
  if (moves.count === 0) return undefined
  return html`<h3>${writeCount(language, words.planMoves, moves.count)}</h3>
<p class="soft">${words.planMovesText}${mostText(words, language, moves)}</p>
<ul class="tags preview-list">${moves.first.map((id) => html`<li>${tenantLink(id)}</li>`)}</ul>`
}

const tenantLink = (id: string): Html => html`<a href="${tenantPath(id)}" dir="auto">${id}</a>`

/** The same fields once more, for the version that the preview has read. */
function saveForm({ reader }: ConsoleCall, change: ValueChange, plan: PlanValuePreview['plan']): Html {
  const { words } = reader
  const fields: Record<string, string> =
    change.value === undefined
      ? { remove: change.name, ...(change.in && { in: change.in }) }
      : { name: change.name, in: change.in, value: change.value }
  const inputs = Object.entries(fields).map(
    ([name, value]) => html`<input name="${name}" value="${value}" type="hidden" autocomplete="off">`,
  )
  return html`<form method="post" action="${planPath(plan.id)}" class="actions">${tokenField(reader)}${versionField(plan)}${inputs}<input name="save" value="1" type="hidden">${submitButton(words.save)}${linkButton(words.planDiscard, planPath(plan.id), { look: 'plain' })}</form>`
}
